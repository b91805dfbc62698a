package interregnum.server;

/** What a node says it is. */
final class NodeVersion {

  static final String VERSION = "0.1.0";

  private NodeVersion() {}
}
