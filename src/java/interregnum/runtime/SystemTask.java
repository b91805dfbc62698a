package interregnum.runtime;

import java.time.Duration;

/** A task on a thread of its own. Cancelling interrupts the thread. */
final class SystemTask implements Task {
  private final String name;
  private final Thread thread;
  private volatile boolean cancelled;

  SystemTask(String name, TaskBody body, FailureHandler failureHandler) {
    this.name = name;
    this.thread = new Thread(() -> run(body, failureHandler), name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run(TaskBody body, FailureHandler failureHandler) {
    try {
      body.run();
    } catch (InterruptedException e) {
      if (!cancelled) {
        failureHandler.taskFailed(name, e);
      }
    } catch (Throwable e) {
      failureHandler.taskFailed(name, e);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void cancel() {
    cancelled = true;
    thread.interrupt();
  }

  @Override
  public boolean join(Duration limit) throws InterruptedException {
    if (limit.isZero() || limit.isNegative()) {
      return isDone();
    }
    thread.join(limit.toMillis(), limit.toNanosPart() % 1_000_000);
    return isDone();
  }

  @Override
  public boolean isDone() {
    return thread.getState() == Thread.State.TERMINATED;
  }
}
