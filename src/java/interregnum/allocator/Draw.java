package interregnum.allocator;

import java.util.Optional;

/**
 * The ids that a request takes from a counter: those in {@code (min, max]} that fit its spacing,
 * all as unsigned numbers.
 */
record Draw(long min, long max) {

  /** The largest id of a signed, and of an unsigned column. */
  static long limit(boolean unsigned) {
    return unsigned ? -1L : Long.MAX_VALUE;
  }

  /**
   * What {@code demand} takes when every id up to {@code base} is gone; empty if the column's type
   * does not hold that many more.
   */
  static Optional<Draw> of(long base, Demand demand) {
    if (demand.n() == 0) {
      return Optional.of(new Draw(base, base));
    }
    long increment = demand.spacing().increment();
    long beforeOffset = demand.spacing().offset() - 1;
    long min = max(base, beforeOffset);
    if (Long.compareUnsigned(min, demand.limit()) > 0) {
      return Optional.empty();
    }
    long past = Long.remainderUnsigned(min - beforeOffset, increment);
    long toFirst = 1 + (increment - past) % increment;
    long span = toFirst + (demand.n() - 1) * increment;
    return Long.compareUnsigned(span, demand.limit() - min) > 0
        ? Optional.empty()
        : Optional.of(new Draw(min, min + span));
  }

  /** The larger of two unsigned numbers. */
  static long max(long a, long b) {
    return Long.compareUnsigned(a, b) >= 0 ? a : b;
  }

  /** {@code base + count}, but at most {@code limit}; {@code base} itself if that is larger. */
  static long advance(long base, long count, long limit) {
    if (Long.compareUnsigned(base, limit) >= 0) {
      return base;
    }
    return Long.compareUnsigned(count, limit - base) > 0 ? limit : base + count;
  }

  /** A request for {@code n} ids no larger than {@code limit}. */
  record Demand(int n, Spacing spacing, long limit) {}
}
