package interregnum.allocator;

/** Hands out the ids of tables. Safe for use by any task; every call ends within a bound. */
public interface IdService {

  /**
   * Takes {@code n} ids of a table. An id is larger than every id whose request was answered before
   * this one was made, on whichever node.
   *
   * @param n how many; 0 takes none and tells where the counter stands
   * @param unsigned whether ids run to 2^64 - 1 instead of 2^63 - 1
   */
  AllocResult alloc(long tableId, int n, Spacing spacing, boolean unsigned)
      throws InterruptedException;

  /**
   * Moves a table's counter so that later ids are larger than {@code base}. A base below zero in a
   * signed column counts as zero.
   *
   * @param force set the counter to exactly {@code base}, also downward
   */
  RebaseResult rebase(long tableId, long base, boolean force, boolean unsigned)
      throws InterruptedException;
}
