package interregnum.store;

/** The store did not answer a read in time. No write of the transaction has been tried. */
public final class StoreUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StoreUnavailableException(String message) {
    super(message);
  }
}
