package interregnum.runtime;

import java.time.Duration;

/**
 * The only source of time, tasks, waiting and chance for node code.
 *
 * <p>Code is written in plain blocking style. Every method that waits is a scheduling point, takes
 * a bound, and throws {@link InterruptedException} when its task is cancelled.
 */
public interface Runtime {

  /** Monotonic time in nanoseconds; only differences mean something. */
  long nanoTime();

  /** Wall-clock time in milliseconds since the epoch; may jump, so never measures a wait. */
  long wallTimeMillis();

  /** Waits for {@code duration}. */
  void sleep(Duration duration) throws InterruptedException;

  /**
   * Starts a task. A throwable that escapes {@code body}, other than the interrupt of a cancelled
   * task, goes to the runtime's failure handler: on a real node that ends the process.
   */
  Task spawn(String name, TaskBody body);

  /** A new lock, for guarding memory only: never held across a call to the outside world. */
  Mutex mutex(String name);

  /** A new bounded queue between tasks. */
  <T> Mailbox<T> mailbox(String name, int capacity);

  /** The random stream of that name: the same seed and name give the same numbers. */
  Randomness randomness(String stream);
}
