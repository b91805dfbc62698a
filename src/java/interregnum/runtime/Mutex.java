package interregnum.runtime;

import java.time.Duration;

/** A reentrant lock with one condition. */
public interface Mutex {

  void lock();

  void unlock();

  /**
   * Releases the lock, waits for {@link #signalAll} or until {@code limit} has passed, and takes
   * the lock again. May wake without cause.
   *
   * @return false if the limit passed
   */
  boolean await(Duration limit) throws InterruptedException;

  /** Wakes every task in {@link #await}. The caller holds the lock. */
  void signalAll();
}
