package interregnum.runtime;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A {@link ReentrantLock} with its one condition. */
final class SystemMutex implements Mutex {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @Override
  public void lock() {
    lock.lock();
  }

  @Override
  public void unlock() {
    lock.unlock();
  }

  @Override
  public boolean await(Duration limit) throws InterruptedException {
    return changed.awaitNanos(limit.toNanos()) > 0;
  }

  @Override
  public void signalAll() {
    changed.signalAll();
  }
}
