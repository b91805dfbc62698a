package interregnum.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class SystemRuntimeTest {
  private static final Duration LONG = Duration.ofSeconds(10);

  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private final SystemRuntime runtime =
      new SystemRuntime(7, (task, cause) -> failures.add(task + ": " + cause.getMessage()));

  @Test
  void handsAnEscapedThrowableToTheFailureHandler() throws InterruptedException {
    Task task =
        runtime.spawn(
            "doomed",
            () -> {
              throw new IllegalStateException("broken");
            });
    assertThat(task.join(LONG)).isTrue();
    assertThat(failures).containsExactly("doomed: broken");
  }

  @Test
  void endsACancelledTaskAtItsNextWaitWithoutAFailure() throws InterruptedException {
    Task task = runtime.spawn("sleeper", () -> runtime.sleep(LONG));
    assertThat(task.join(Duration.ofMillis(20))).isFalse();
    task.cancel();
    assertThat(task.join(LONG)).isTrue();
    assertThat(failures).isEmpty();
  }

  @Test
  void refusesMessagesBeyondTheMailboxCapacity() throws InterruptedException {
    Mailbox<Integer> mailbox = runtime.mailbox("m", 1);
    assertThat(mailbox.offer(1, Duration.ZERO)).isTrue();
    assertThat(mailbox.offer(2, Duration.ofMillis(1))).isFalse();
    assertThat(mailbox.poll(Duration.ZERO)).contains(1);
    assertThat(mailbox.poll(Duration.ofMillis(1))).isEmpty();
  }

  @Test
  void wakesWaitersOfAMutex() throws InterruptedException {
    Mutex mutex = runtime.mutex("x");
    boolean[] open = {false};
    Task waiter =
        runtime.spawn(
            "waiter",
            () -> {
              mutex.lock();
              try {
                while (!open[0]) {
                  mutex.await(LONG);
                }
              } finally {
                mutex.unlock();
              }
            });
    mutex.lock();
    try {
      open[0] = true;
      mutex.signalAll();
    } finally {
      mutex.unlock();
    }
    assertThat(waiter.join(LONG)).isTrue();
  }

  @Test
  void givesTheSameNumbersForTheSameSeedAndStream() {
    SystemRuntime again = new SystemRuntime(7, (task, cause) -> {});
    assertThat(draw(runtime.randomness("a"))).isEqualTo(draw(again.randomness("a")));
    assertThat(draw(again.randomness("a"))).isNotEqualTo(draw(again.randomness("b")));
  }

  private static List<Long> draw(Randomness randomness) {
    List<Long> numbers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      numbers.add(randomness.nextLong());
    }
    return numbers;
  }
}
