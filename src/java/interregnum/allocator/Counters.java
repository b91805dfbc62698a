package interregnum.allocator;

import interregnum.allocator.AllocatorModes.Counter;
import interregnum.allocator.AllocatorModes.Forced;
import interregnum.etcd.KeyRange;
import interregnum.failpoint.FailpointException;
import interregnum.failpoint.Failpoints;
import interregnum.owner.Term;
import interregnum.store.CommitResult;
import interregnum.store.Store;
import interregnum.store.StoreTxn;
import interregnum.store.StoreUnavailableException;
import interregnum.table.Keys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The stored side of the allocator: one counter per table, the highest id that any leader reserved.
 *
 * <p>Every change is one transaction that compares the term of the reign that asks. A forced rebase
 * notes the id of its request in the same transaction, so that a repetition is recognised, also by
 * a later leader. Any task may call; each call is bounded by the store's own time-outs.
 */
final class Counters {

  private static final String COUNTER_PREFIX = "/interregnum/autoid/counter/";
  private static final String FORCED_PREFIX = "/interregnum/autoid/forced/";
  private static final int ATTEMPTS_MAX = 10;

  /**
   * How many forced rebases of a table are remembered. A client repeats a request for seconds; that
   * many rebases of one table do not fit in between.
   */
  private static final int FORCED_REMEMBERED = 64;

  /** A row key made of one integer that is not negative. */
  private static final Pattern INTEGER_KEY = Pattern.compile("p(\\d{20})");

  private final Store store;
  private final Failpoints failpoints;
  private final long step;
  private final AllocatorModes modes;

  Counters(Store store, Failpoints failpoints, LeaderOptions options) {
    this.store = store;
    this.failpoints = failpoints;
    this.step = options.step();
    this.modes = options.modes();
  }

  static String counterKey(long tableId) {
    return COUNTER_PREFIX + padded(tableId);
  }

  private static String forcedKey(long tableId) {
    return FORCED_PREFIX + padded(tableId);
  }

  private static String padded(long tableId) {
    return String.format("%010d", tableId);
  }

  /**
   * Reserves a step, or more if {@code demand} needs more. What is left of {@code known} is kept if
   * the counter has not moved since it was reserved. A demand of no ids, or of more than there are,
   * reserves nothing and tells where the counter stands.
   */
  CounterResult reserve(Asker asker, Optional<RangeState.Held> known, Draw.Demand demand)
      throws InterruptedException {
    return update(
        asker,
        known.isEmpty(),
        (txn, previous) -> {
          long start =
              known
                  .filter(held -> held.end() == previous)
                  .map(RangeState.Held::base)
                  .orElse(previous);
          Optional<Draw> draw = Draw.of(start, demand);
          if (demand.n() == 0 || draw.isEmpty()) {
            return Plan.nothing(new CounterResult.Reserved(previous, start, previous));
          }
          long stepFrom = Draw.max(previous, draw.get().min());
          long end = Draw.max(draw.get().max(), Draw.advance(stepFrom, step, demand.limit()));
          return Plan.move(previous, start, end);
        });
  }

  /** Lifts the counter above a base and reserves a step there, unless it is above already. */
  CounterResult lift(Asker asker, Optional<RangeState.Held> known, Lift lift)
      throws InterruptedException {
    return update(
        asker,
        known.isEmpty(),
        (txn, previous) ->
            Long.compareUnsigned(lift.base(), previous) <= 0
                ? Plan.nothing(new CounterResult.Reserved(previous, previous, previous))
                : Plan.move(previous, lift.base(), Draw.advance(lift.base(), step, lift.limit())));
  }

  /** Sets the counter to {@code base}, once per {@code requestId}. */
  CounterResult force(Asker asker, long base, String requestId) throws InterruptedException {
    return update(
        asker,
        false,
        (txn, previous) -> {
          String key = forcedKey(asker.tableId());
          List<String> done = new ArrayList<>();
          txn.get(key).ifPresent(ids -> done.addAll(List.of(ids.split(" "))));
          if (modes.forced() == Forced.ONCE && done.contains(requestId)) {
            return Plan.nothing(new CounterResult.DoneBefore());
          }
          done.add(requestId);
          int from = Math.max(0, done.size() - FORCED_REMEMBERED);
          txn.put(key, String.join(" ", done.subList(from, done.size())));
          return Plan.move(previous, base, base);
        });
  }

  /** Sets the counter to {@code base}, whoever reigns, as old versions did when they stopped. */
  CommitResult writeBack(long tableId, long base) throws InterruptedException {
    StoreTxn txn = store.begin();
    txn.put(counterKey(tableId), Long.toUnsignedString(base));
    return txn.commit();
  }

  /**
   * @param fresh whether nothing of this table is in memory
   */
  private CounterResult update(Asker asker, boolean fresh, Change change)
      throws InterruptedException {
    try {
      for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        StoreTxn txn = store.begin();
        String key = counterKey(asker.tableId());
        long previous =
            fresh && modes.counter() == Counter.HIGHEST_ROW
                ? highestRow(txn, asker.tableId())
                : txn.get(key).map(Long::parseUnsignedLong).orElse(0L);
        Plan plan = change.plan(txn, previous);
        if (!plan.writes()) {
          return plan.result();
        }
        txn.put(key, Long.toUnsignedString(((CounterResult.Reserved) plan.result()).end()));
        txn.require(asker.reign().fence());
        failpoints.hit("beforeReserve", asker.labels());
        CommitResult committed = txn.commit();
        if (!(committed instanceof CommitResult.Conflict)) {
          return settled(committed, plan.result());
        }
      }
      return new CounterResult.Failed("the counter changed " + ATTEMPTS_MAX + " times meanwhile");
    } catch (StoreUnavailableException | FailpointException e) {
      return new CounterResult.Failed(e.getMessage());
    }
  }

  private static long highestRow(StoreTxn txn, long tableId) throws InterruptedException {
    String prefix = Keys.rowPrefix(tableId);
    long highest = 0;
    for (StoreTxn.Entry row : txn.scan(prefix, KeyRange.prefixEnd(prefix), 0)) {
      Matcher key = INTEGER_KEY.matcher(row.key().substring(prefix.length()));
      if (key.matches()) {
        highest = Draw.max(highest, Long.parseUnsignedLong(key.group(1)));
      }
    }
    return highest;
  }

  private static CounterResult settled(CommitResult committed, CounterResult planned) {
    if (committed instanceof CommitResult.Committed) {
      return planned;
    }
    if (committed instanceof CommitResult.Fenced) {
      return new CounterResult.Deposed();
    }
    return committed instanceof CommitResult.Unknown unknown
        ? new CounterResult.Unknown(unknown.reason())
        : new CounterResult.Failed(((CommitResult.Failed) committed).reason());
  }

  /** In whose name a counter is changed, and the labels for failpoints on the way. */
  record Asker(Term reign, long tableId, String[] labels) {}

  /** A floor for a counter, and the largest id of its column. */
  record Lift(long base, long limit) {}

  /** Decides on a change from the counter as the transaction sees it. */
  @FunctionalInterface
  private interface Change {
    Plan plan(StoreTxn txn, long previous) throws InterruptedException;
  }

  private record Plan(CounterResult result, boolean writes) {
    static Plan nothing(CounterResult result) {
      return new Plan(result, false);
    }

    static Plan move(long previous, long start, long end) {
      return new Plan(new CounterResult.Reserved(previous, start, end), true);
    }
  }
}
