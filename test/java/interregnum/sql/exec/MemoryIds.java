package interregnum.sql.exec;

import interregnum.allocator.AllocResult;
import interregnum.allocator.IdService;
import interregnum.allocator.RebaseResult;
import interregnum.allocator.Spacing;
import java.math.BigInteger;
import java.util.Map;
import java.util.TreeMap;

/** An id service in memory that hands out ids without gaps. */
public final class MemoryIds implements IdService {

  /** The term of all its ids. */
  static final long TERM = 7;

  private final Map<Long, Long> counters = new TreeMap<>();
  private boolean available = true;

  public synchronized void available(boolean on) {
    available = on;
  }

  @Override
  public synchronized AllocResult alloc(long table, int n, Spacing spacing, boolean unsigned) {
    if (!available) {
      return new AllocResult.Unavailable("no leader");
    }
    long min = counters.getOrDefault(table, 0L);
    if (n == 0) {
      return new AllocResult.Allocated(min, min, TERM);
    }
    BigInteger base = new BigInteger(Long.toUnsignedString(min));
    BigInteger offset = BigInteger.valueOf(spacing.offset());
    BigInteger increment = BigInteger.valueOf(spacing.increment());
    BigInteger first =
        base.compareTo(offset) < 0
            ? offset
            : base.subtract(offset).divide(increment).add(BigInteger.ONE).multiply(increment)
                .add(offset);
    BigInteger last = first.add(increment.multiply(BigInteger.valueOf(n - 1)));
    if (last.bitLength() > (unsigned ? 64 : 63)) {
      return new AllocResult.Exhausted();
    }
    counters.put(table, last.longValue());
    return new AllocResult.Allocated(min, last.longValue(), TERM);
  }

  @Override
  public synchronized RebaseResult rebase(
      long table, long base, boolean force, boolean unsigned) {
    if (!available) {
      return new RebaseResult.Unavailable("no leader");
    }
    long now = counters.getOrDefault(table, 0L);
    boolean higher = Long.compareUnsigned(base, now) > 0;
    counters.put(table, force || higher ? base : now);
    return new RebaseResult.Rebased(1);
  }
}
