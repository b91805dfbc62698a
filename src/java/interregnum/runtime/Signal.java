package interregnum.runtime;

import java.time.Duration;

/**
 * A count that only grows, and that tasks can wait for. One who reads {@link #count} before looking
 * at the state that the signal is about, and waits for more than that, misses no change.
 */
public final class Signal {
  private final Runtime runtime;
  private final Mutex mutex;
  private volatile long count;

  public Signal(Runtime runtime, String name) {
    this.runtime = runtime;
    this.mutex = runtime.mutex(name);
  }

  public long count() {
    return count;
  }

  /** Adds one and wakes every waiting task; the new count. */
  public long raise() {
    mutex.lock();
    try {
      count++;
      mutex.signalAll();
      return count;
    } finally {
      mutex.unlock();
    }
  }

  /** Waits until the count is above {@code seen}, at most {@code limit}; false if it is not. */
  public boolean await(long seen, Duration limit) throws InterruptedException {
    long deadline = runtime.nanoTime() + limit.toNanos();
    mutex.lock();
    try {
      long left = limit.toNanos();
      while (count <= seen && left > 0) {
        mutex.await(Duration.ofNanos(left));
        left = deadline - runtime.nanoTime();
      }
      return count > seen;
    } finally {
      mutex.unlock();
    }
  }
}
