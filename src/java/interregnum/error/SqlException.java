package interregnum.error;

/** Ends a statement with an error for its client; the session lives on. */
public final class SqlException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final SqlError error;

  public SqlException(SqlError error, String message) {
    super(message, null, false, false);
    this.error = error;
  }

  /** Which error, by number and state. */
  public SqlError error() {
    return error;
  }
}
