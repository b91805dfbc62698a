package interregnum.failpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import interregnum.runtime.SystemRuntime;
import interregnum.runtime.Task;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FailpointsTest {
  private static final Duration LONG = Duration.ofSeconds(10);

  private final AtomicInteger crashes = new AtomicInteger();
  private final SystemRuntime runtime = new SystemRuntime(1, (task, cause) -> {});
  private final Failpoints failpoints = new Failpoints(runtime, crashes::incrementAndGet);

  @Test
  void holdsATaskUntilThePointIsDisarmed() throws InterruptedException {
    failpoints.arm("p", "pause");
    Task task = runtime.spawn("held", () -> failpoints.hit("p", "node=n1", "job=7"));
    await().atMost(LONG).until(() -> failpoints.state("p").waiting() == 1);
    assertThat(failpoints.state("p"))
        .isEqualTo(new FailpointState("p", "pause", 1, List.of("node=n1,job=7")));
    failpoints.disarm("p");
    assertThat(task.join(LONG)).isTrue();
    assertThat(failpoints.state("p")).isEqualTo(new FailpointState("p", "off", 0, List.of()));
  }

  @Test
  void actsOnlyOnHitsThatCarryTheFilteredLabels() throws InterruptedException {
    failpoints.arm("p", "error:table=aaa,node=n1");
    failpoints.hit("p", "table=bbb", "node=n1");
    failpoints.hit("p", "table=aaa");
    assertThat(failpoints.state("p").hits()).isZero();
    assertThatThrownBy(() -> failpoints.hit("p", "node=n1", "table=aaa"))
        .isInstanceOf(FailpointException.class)
        .hasMessage("failpoint p");
  }

  @Test
  void actsOnlyAsOftenAsTheCountSays() throws InterruptedException {
    failpoints.arm("p", "1*error");
    assertThatThrownBy(() -> failpoints.hit("p")).isInstanceOf(FailpointException.class);
    failpoints.hit("p");
    assertThat(failpoints.state("p").hits()).isEqualTo(2);
  }

  @Test
  void sparesHitsByChance() throws InterruptedException {
    failpoints.arm("p", "30%sleep(0)");
    failpoints.arm("never", "0%error");
    for (int i = 0; i < 1_000; i++) {
      failpoints.hit("p");
      failpoints.hit("never");
    }
    assertThat(failpoints.state("p").hits()).isBetween(230L, 370L);
    assertThat(failpoints.state("never").hits()).isZero();
    failpoints.arm("p", "100%1*error");
    assertThatThrownBy(() -> failpoints.hit("p")).isInstanceOf(FailpointException.class);
    failpoints.hit("p");
  }

  @Test
  void sleepsForTheGivenTime() throws InterruptedException {
    failpoints.arm("p", "sleep(60)");
    long start = runtime.nanoTime();
    failpoints.hit("p");
    assertThat(Duration.ofNanos(runtime.nanoTime() - start)).isBetween(Duration.ofMillis(60), LONG);
  }

  @Test
  void runsTheCrashActionAndGoesNoFurther() {
    failpoints.arm("p", "crash");
    assertThatThrownBy(() -> failpoints.hit("p")).isInstanceOf(FailpointException.class);
    assertThat(crashes).hasValue(1);
  }

  @Test
  void refusesTermsItCannotRead() {
    for (String term : new String[] {"", "sleep", "sleep(x)", "stop", "pause:", "pause:table", "101%off"}) {
      assertThatThrownBy(() -> failpoints.arm("p", term))
          .as(term)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("failpoint term '" + term + "'");
    }
    assertThat(failpoints.armed()).isEmpty();
  }
}
