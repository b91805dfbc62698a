package interregnum.check;

import interregnum.check.search.Stop;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.Objects;

/**
 * Keeps a check within its budget: waits for its threads, looks at the clock and at the heap, asks
 * the threads to stop when one of the two is used up, and goes on without a thread that does not.
 */
final class Watch {

  private static final int POLL_MS = 5;
  private static final int GRACE_MS_MIN = 20;
  private static final int GRACE_MS_MAX = 500;

  /** How long after a collection the heap may be a little above its limit until the next one. */
  private static final long GC_PAUSE_NANOS = 2_000_000_000L;

  private static final int TOLERATED_PERCENT = 103;
  private static final int FULL_PERCENT = 95;

  private final Budget budget;
  private final long beginNanos;
  private final Stop stop = new Stop();
  private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
  private final List<MemoryPoolMXBean> pools =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .toList();
  private boolean collected;
  private long collectedNanos;
  private long collectionNanos;

  Watch(Budget budget, long beginNanos) {
    this.budget = budget;
    this.beginNanos = beginNanos;
  }

  Stop stop() {
    return stop;
  }

  /** How long threads may take to end of themselves; the last part of the time is for that. */
  private long graceMs() {
    long timeMs = budget.time().toMillis();
    return Math.min(timeMs / 2, Math.min(GRACE_MS_MAX, Math.max(GRACE_MS_MIN, timeMs / 25)));
  }

  /** When threads are asked to end, in terms of {@code System.nanoTime()}. */
  long deadlineNanos() {
    return beginNanos + budget.time().toNanos() - graceMs() * 1_000_000;
  }

  /** Runs the work to its end or to the end of the budget; throws what the work threw. */
  void run(Work work) {
    Thread[] threads = new Thread[budget.threads()];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = new Thread(null, work::run, "check " + i, 256L << 20);
      threads[i].setDaemon(true);
      threads[i].start();
    }
    try {
      while (!work.awaitEnd(POLL_MS)) {
        if (System.nanoTime() - deadlineNanos() >= 0) {
          stop.request("the time limit of " + budget.time().toMillis() / 1000.0 + " s was reached");
        } else if (heapUsedUp()) {
          stop.request("the heap limit of " + (budget.heapBytes() >> 20) + " MB was reached");
        }
        if (stop.requested()) {
          endWithGrace(work, threads);
          break;
        }
      }
    } catch (InterruptedException e) {
      stop.request("the check was interrupted");
      Thread.currentThread().interrupt();
    }
    work.throwFailure();
  }

  private void endWithGrace(Work work, Thread[] threads) throws InterruptedException {
    if (!work.awaitEnd(graceMs())) {
      for (Thread thread : threads) {
        thread.interrupt();
      }
      work.awaitEnd(graceMs());
    }
    work.close();
  }

  /**
   * Whether the heap is full even after garbage was collected; or may be, when there is no time
   * left to collect it.
   */
  private boolean heapUsedUp() {
    long used = memory.getHeapMemoryUsage().getUsed();
    if (used <= budget.heapBytes()) {
      return false;
    }
    long now = System.nanoTime();
    boolean justCollected = collected && now - collectedNanos < GC_PAUSE_NANOS;
    if (justCollected && used <= budget.heapBytes() / 100 * TOLERATED_PERCENT) {
      return false;
    }
    if (deadlineNanos() - now < collectionNanos) {
      return true;
    }
    memory.gc();
    collected = true;
    collectedNanos = System.nanoTime();
    collectionNanos = collectedNanos - now;
    return usedAfterCollection() > budget.heapBytes() / 100 * FULL_PERCENT;
  }

  private long usedAfterCollection() {
    return pools.stream()
        .map(pool -> Objects.requireNonNullElse(pool.getCollectionUsage(), pool.getUsage()))
        .mapToLong(MemoryUsage::getUsed)
        .sum();
  }
}
