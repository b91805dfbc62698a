package interregnum.check;

import interregnum.check.search.Stop;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;

/**
 * Keeps a check within its budget: waits for its threads, looks at the clock and at the heap, asks
 * the threads to stop when one of the two is used up, and goes on without a thread that does not.
 */
final class Watch {

  private static final int GRACE_MS_MAX = 500;

  /** How long after a collection the heap may be a little above its limit until the next one. */
  private static final long GC_PAUSE_NANOS = 2_000_000_000L;

  private static final int TOLERATED_PERCENT = 103;

  private final Budget budget;
  private final long beginNanos;
  private final Stop stop = new Stop();
  private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
  private long collectedNanos;
  private boolean collected;

  Watch(Budget budget, long beginNanos) {
    this.budget = budget;
    this.beginNanos = beginNanos;
  }

  Stop stop() {
    return stop;
  }

  /** When the time is used up, in terms of {@code System.nanoTime()}. */
  long deadlineNanos() {
    return beginNanos + budget.time().toNanos();
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
      while (!work.awaitEnd(20)) {
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
    long graceMs = Math.min(GRACE_MS_MAX, Math.max(20, budget.time().toMillis() / 25));
    if (!work.awaitEnd(graceMs)) {
      for (Thread thread : threads) {
        thread.interrupt();
      }
      work.awaitEnd(graceMs);
    }
    work.close();
  }

  /** Whether the heap is above its limit even after garbage was collected. */
  private boolean heapUsedUp() {
    long used = memory.getHeapMemoryUsage().getUsed();
    if (used <= budget.heapBytes()) {
      return false;
    }
    boolean justCollected =
        collected && System.nanoTime() - collectedNanos < GC_PAUSE_NANOS;
    if (justCollected && used <= budget.heapBytes() / 100 * TOLERATED_PERCENT) {
      return false;
    }
    memory.gc();
    collected = true;
    collectedNanos = System.nanoTime();
    return memory.getHeapMemoryUsage().getUsed() > budget.heapBytes() / 100 * 95;
  }
}
