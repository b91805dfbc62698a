package interregnum.check.history;

/**
 * A history that cannot be checked as it stands: malformed text, or events that no run can produce.
 * The message is for people and names the place.
 */
public final class HistoryException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** Creates an exception that says what was expected and where. */
  public HistoryException(String message) {
    super(message);
  }
}
