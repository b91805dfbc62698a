package interregnum.transport;

/**
 * Thrown by a handler that has not carried out the request and never will: the caller learns a
 * definite failure. Any other exception leaves the caller not knowing.
 */
public final class RequestRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public RequestRefusedException(String message) {
    super(message);
  }
}
