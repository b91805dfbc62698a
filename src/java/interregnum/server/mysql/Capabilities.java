package interregnum.server.mysql;

/** Bits of the capabilities that client and server tell each other. */
final class Capabilities {

  static final int LONG_PASSWORD = 1;
  static final int FOUND_ROWS = 1 << 1;
  static final int LONG_FLAG = 1 << 2;
  static final int CONNECT_WITH_DB = 1 << 3;
  static final int PROTOCOL_41 = 1 << 9;
  static final int INTERACTIVE = 1 << 10;
  static final int TRANSACTIONS = 1 << 13;
  static final int SECURE_CONNECTION = 1 << 15;
  static final int PLUGIN_AUTH = 1 << 19;
  static final int CONNECT_ATTRIBUTES = 1 << 20;
  static final int PLUGIN_AUTH_LENGTH_ENCODED = 1 << 21;

  /** What the server can do. */
  static final int SERVER =
      LONG_PASSWORD
          | FOUND_ROWS
          | LONG_FLAG
          | CONNECT_WITH_DB
          | PROTOCOL_41
          | INTERACTIVE
          | TRANSACTIONS
          | SECURE_CONNECTION
          | PLUGIN_AUTH
          | CONNECT_ATTRIBUTES
          | PLUGIN_AUTH_LENGTH_ENCODED;

  private Capabilities() {}
}
