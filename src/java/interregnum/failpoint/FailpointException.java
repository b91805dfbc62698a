package interregnum.failpoint;

/** Thrown where a failpoint is armed with {@code error} or {@code crash}. */
public final class FailpointException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public FailpointException(String failpoint) {
    super("failpoint " + failpoint);
  }
}
