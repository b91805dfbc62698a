package interregnum.allocator;

/**
 * What came of asking for ids. Whatever is not {@link Allocated} is definite for the caller: it
 * holds no ids. Ids that were handed out but whose reply was lost are a gap, and never handed out
 * again.
 */
public sealed interface AllocResult {

  /**
   * The range {@code (min, max]}, as unsigned numbers. With the spacing of the request its ids are:
   * first the smallest number above {@code min} that fits the spacing, then on by the increment,
   * the last one being {@code max}. {@code min == max} for a request of no ids: the next id is
   * larger.
   *
   * @param term the reign that reserved them, which is the one that served the request
   */
  record Allocated(long min, long max, long term) implements AllocResult {}

  /** The column's type holds no further ids; stays so until a forced rebase. */
  record Exhausted() implements AllocResult {}

  /** No leader answered within the bound. */
  record Unavailable(String reason) implements AllocResult {}
}
