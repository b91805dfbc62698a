package interregnum.runtime;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The runtime of a real node: platform threads, the system's clocks, and random streams that derive
 * from one seed. Any task may use it. It owns nothing that needs closing; its threads are daemons,
 * so a process ends when its main thread does.
 */
public final class SystemRuntime implements Runtime {
  private final long seed;
  private final FailureHandler failureHandler;
  private final Map<String, Randomness> streams = new ConcurrentHashMap<>();

  public SystemRuntime(long seed, FailureHandler failureHandler) {
    this.seed = seed;
    this.failureHandler = failureHandler;
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public long wallTimeMillis() {
    return System.currentTimeMillis();
  }

  @Override
  public void sleep(Duration duration) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(duration.toNanos());
  }

  @Override
  public Task spawn(String name, TaskBody body) {
    SystemTask task = new SystemTask(name, body, failureHandler);
    task.start();
    return task;
  }

  @Override
  public Mutex mutex(String name) {
    return new SystemMutex();
  }

  @Override
  public <T> Mailbox<T> mailbox(String name, int capacity) {
    return new SystemMailbox<>(capacity);
  }

  @Override
  public Randomness randomness(String stream) {
    return streams.computeIfAbsent(stream, name -> new SystemRandomness(seed, name));
  }
}
