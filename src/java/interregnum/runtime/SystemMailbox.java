package interregnum.runtime;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A mailbox on an {@link ArrayBlockingQueue}. */
final class SystemMailbox<T> implements Mailbox<T> {
  private final ArrayBlockingQueue<T> queue;

  SystemMailbox(int capacity) {
    this.queue = new ArrayBlockingQueue<>(capacity);
  }

  @Override
  public boolean offer(T message, Duration limit) throws InterruptedException {
    return queue.offer(message, limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public Optional<T> poll(Duration limit) throws InterruptedException {
    return Optional.ofNullable(queue.poll(limit.toNanos(), TimeUnit.NANOSECONDS));
  }

  @Override
  public int size() {
    return queue.size();
  }
}
