package interregnum.allocator;

/** What came of asking for a change of a stored counter. */
sealed interface CounterResult {

  /**
   * The ids in {@code (start, end]} belong to the reign that asked; before, everything up to {@code
   * previous} was given away.
   */
  record Reserved(long previous, long start, long end) implements CounterResult {}

  /** The store shows that this very request was carried out before; nothing was changed now. */
  record DoneBefore() implements CounterResult {}

  /** Nothing was changed: the reign that asked is over. */
  record Deposed() implements CounterResult {}

  /** Nothing was changed. */
  record Failed(String reason) implements CounterResult {}

  /** The counter may have been changed, or may yet be. */
  record Unknown(String reason) implements CounterResult {}
}
