package interregnum.server.mysql;

import interregnum.error.SqlError;
import interregnum.error.SqlException;

/** The client does not keep to the protocol; it is told so and its connection is closed. */
final class ProtocolException extends Exception {
  private static final long serialVersionUID = 1L;

  private final SqlError error;

  ProtocolException(SqlError error, String message) {
    super(message);
    this.error = error;
  }

  static ProtocolException malformed() {
    return new ProtocolException(SqlError.MALFORMED_PACKET, "Malformed communication packet.");
  }

  SqlException asSqlException() {
    return new SqlException(error, getMessage());
  }
}
