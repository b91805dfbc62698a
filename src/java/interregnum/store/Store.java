package interregnum.store;

/** A transactional key-value store. Safe for use by any task. */
public interface Store {

  /**
   * Starts a transaction on a snapshot that holds every transaction committed before this call.
   *
   * @throws StoreUnavailableException if the snapshot could not be taken in time
   */
  StoreTxn begin() throws InterruptedException;
}
