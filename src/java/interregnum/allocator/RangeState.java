package interregnum.allocator;

/** What the leader holds in memory for one table. */
sealed interface RangeState {

  /** Nothing: the stored counter has to be asked. */
  record Absent() implements RangeState {}

  /** The ids in {@code (base, end]}, reserved in the reign {@code term}. */
  record Held(long base, long end, long term) implements RangeState {

    Held withBase(long newBase) {
      return new Held(newBase, end, term);
    }
  }

  Absent ABSENT = new Absent();
}
