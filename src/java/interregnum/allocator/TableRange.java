package interregnum.allocator;

import interregnum.allocator.AllocatorModes.Ranges;
import interregnum.owner.Term;
import interregnum.runtime.Mutex;
import interregnum.runtime.Runtime;
import java.time.Duration;
import java.util.Optional;

/**
 * One table's ids in the leader's memory, used by many tasks.
 *
 * <p>The store is asked without a lock held: a task that needs it marks the range as being changed,
 * lets the lock go, asks, and installs the answer. One task at a time may do so; others go on
 * taking what is still in memory, or wait for the answer.
 *
 * <pre>
 *   Absent ──begin──► asking ──finish──► Held(base, end, term) ──begin──► asking ...
 *                       └──── the answer is unknown, or the reign is over ───► Absent
 * </pre>
 */
final class TableRange {

  private final Runtime runtime;
  private final Ranges ranges;
  private final Mutex mutex;

  /** Guarded by {@link #mutex}. */
  private RangeState state = RangeState.ABSENT;

  /** Whether a task is asking the store. Guarded by {@link #mutex}. */
  private boolean asking;

  /** Whether nothing may be taken until that task has its answer. Guarded by {@link #mutex}. */
  private boolean seized;

  TableRange(Runtime runtime, String name, Ranges ranges) {
    this.runtime = runtime;
    this.ranges = ranges;
    this.mutex = runtime.mutex(name);
  }

  /** Takes ids from memory, or says what has to happen first. */
  Answer take(Term reign, Draw.Demand demand, long deadlineNanos) throws InterruptedException {
    mutex.lock();
    try {
      while (true) {
        Optional<RangeState.Held> held = held(reign);
        if (held.isPresent()) {
          Optional<Draw> draw = Draw.of(held.get().base(), demand);
          if (draw.isEmpty()) {
            return new Exhausted();
          }
          if (Long.compareUnsigned(draw.get().max(), held.get().end()) <= 0) {
            state = held.get().withBase(draw.get().max());
            return new Taken(draw.get(), held.get().term());
          }
        }
        if (!asking) {
          asking = true;
          return new Ask(held);
        }
        if (!awaitAnswer(deadlineNanos)) {
          return new Busy();
        }
      }
    } finally {
      mutex.unlock();
    }
  }

  /** Makes sure that later ids are larger than {@code base}, or says what has to happen first. */
  Answer lift(Term reign, long base, long deadlineNanos) throws InterruptedException {
    mutex.lock();
    try {
      while (true) {
        Optional<RangeState.Held> held = held(reign);
        if (held.isPresent() && Long.compareUnsigned(base, held.get().end()) <= 0) {
          state = held.get().withBase(Draw.max(base, held.get().base()));
          return new Taken(new Draw(base, base), held.get().term());
        }
        if (!asking) {
          asking = true;
          return new Ask(held);
        }
        if (!awaitAnswer(deadlineNanos)) {
          return new Busy();
        }
      }
    } finally {
      mutex.unlock();
    }
  }

  /** Waits for the range to be free, and lets nobody take of it until the answer. */
  Answer seize(long deadlineNanos) throws InterruptedException {
    mutex.lock();
    try {
      while (asking) {
        if (!awaitAnswer(deadlineNanos)) {
          return new Busy();
        }
      }
      asking = true;
      seized = true;
      return new Ask(Optional.empty());
    } finally {
      mutex.unlock();
    }
  }

  /** Installs the store's answer. Every {@link Ask} is followed by this, whatever happens. */
  void finish(Term reign, Optional<CounterResult> answer) {
    mutex.lock();
    try {
      boolean ofLaterReign =
          state instanceof RangeState.Held held && held.term() > reign.number();
      if (!ofLaterReign) {
        state = answer.map(result -> next(reign, result)).orElse(RangeState.ABSENT);
      }
      asking = false;
      seized = false;
      mutex.signalAll();
    } finally {
      mutex.unlock();
    }
  }

  private RangeState next(Term reign, CounterResult answer) {
    if (answer instanceof CounterResult.Reserved reserved) {
      boolean grown =
          state instanceof RangeState.Held held
              && held(reign).isPresent()
              && held.end() == reserved.previous()
              && Long.compareUnsigned(reserved.start(), held.base()) <= 0;
      long base = grown ? ((RangeState.Held) state).base() : reserved.start();
      return new RangeState.Held(base, reserved.end(), reign.number());
    }
    boolean unchanged =
        answer instanceof CounterResult.Failed || answer instanceof CounterResult.DoneBefore;
    return unchanged ? state : RangeState.ABSENT;
  }

  /** The range in memory, if {@code reign} may use it. */
  private Optional<RangeState.Held> held(Term reign) {
    return !seized
            && state instanceof RangeState.Held held
            && (ranges != Ranges.ONE_REIGN || held.term() == reign.number())
        ? Optional.of(held)
        : Optional.empty();
  }

  private boolean awaitAnswer(long deadlineNanos) throws InterruptedException {
    long left = deadlineNanos - runtime.nanoTime();
    if (left <= 0) {
      return false;
    }
    mutex.await(Duration.ofNanos(left));
    return true;
  }

  /** What is in memory now. */
  RangeState state() {
    mutex.lock();
    try {
      return state;
    } finally {
      mutex.unlock();
    }
  }

  /** What a task is told that comes to a range. */
  sealed interface Answer {}

  /**
   * The ids in the draw are the caller's.
   *
   * @param term the reign that reserved them
   */
  record Taken(Draw draw, long term) implements Answer {}

  /** The column's type holds no more. */
  record Exhausted() implements Answer {}

  /** The caller has to ask the store, and to bring the answer to {@link #finish}. */
  record Ask(Optional<RangeState.Held> known) implements Answer {}

  /** Another task did not get its answer from the store in time. */
  record Busy() implements Answer {}
}
