package interregnum.runtime;

import java.time.Duration;

/** A running task, as its parent sees it. */
public interface Task {

  /** The name given at {@link Runtime#spawn}. */
  String name();

  /** Asks the task to end: its next wait throws {@link InterruptedException}. Returns at once. */
  void cancel();

  /** Waits until the task has ended, at most {@code limit}; false if it still runs. */
  boolean join(Duration limit) throws InterruptedException;

  /** Whether the task has ended. */
  boolean isDone();
}
