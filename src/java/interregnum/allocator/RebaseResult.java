package interregnum.allocator;

/** What came of moving a table's counter. */
public sealed interface RebaseResult {

  /**
   * Every id handed out from now on is larger than the base asked for.
   *
   * @param term the reign that served the request
   */
  record Rebased(long term) implements RebaseResult {}

  /** The counter was certainly not moved by this request. */
  record Unavailable(String reason) implements RebaseResult {}

  /** The counter may have been moved, or may yet be. */
  record Undetermined(String reason) implements RebaseResult {}
}
