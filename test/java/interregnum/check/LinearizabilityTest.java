package interregnum.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import interregnum.check.history.EventType;
import interregnum.check.history.Recording;
import interregnum.check.model.Call;
import interregnum.check.model.Keyed;
import interregnum.check.model.Model;
import interregnum.check.model.Register;
import interregnum.check.report.EdnReport;
import interregnum.check.report.Picture;
import interregnum.check.report.TextReport;
import interregnum.check.search.ModelException;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

class LinearizabilityTest {

  private static final long SEED = Long.getLong("check.seed", System.nanoTime());
  private static final Model REGISTER = new Register("cas-register", 0L, true, false);

  private static Result check(Model model, Recording recording) {
    return Linearizability.check(model, recording, Budget.standard());
  }

  private static Recording recording(Object... fields) {
    Recording recording = new Recording("event");
    for (int i = 0; i < fields.length; i += 4) {
      EventType type = EventType.valueOf(fields[i].toString());
      recording.add(new Recording.Event(type, fields[i + 1], fields[i + 2], fields[i + 3], null, i / 4, i / 4));
    }
    return recording;
  }

  @Test
  void aValidHistoryStaysValidWhenCut() {
    System.out.println("LinearizabilityTest: -Dcheck.seed=" + SEED);
    List<RegisterRun.Event> run =
        RegisterRun.simulate(new RegisterRun.Plan(120, 6, 0.1, 3, SEED));
    for (int count = 2; count <= run.size(); count += 7) {
      Result result = check(REGISTER, RegisterRun.record(run, count));
      assertThat(result.failures()).as("seed " + SEED + ", first " + count).isEmpty();
    }
  }

  @Test
  void aCrashedOperationThatNeverHappenedMayHaveFailed() {
    for (long seed = SEED; seed < SEED + 10; seed++) {
      List<RegisterRun.Event> run =
          RegisterRun.simulate(new RegisterRun.Plan(200, 8, 0.2, 4, seed));
      for (int i = 0; i < run.size(); i++) {
        RegisterRun.Event end = run.get(i);
        if (end.type == EventType.INFO && !happened(run, end)) {
          end.type = EventType.FAIL;
        }
      }
      assertThat(check(REGISTER, RegisterRun.record(run, run.size())).verdict())
          .as("seed " + seed)
          .isEqualTo(Verdict.VALID);
    }
  }

  private static boolean happened(List<RegisterRun.Event> run, RegisterRun.Event end) {
    return run.stream()
        .filter(e -> e.type == EventType.INVOKE && e.process == end.process)
        .reduce((a, b) -> b)
        .orElseThrow()
        .happened;
  }

  @Test
  void longHistoriesWithManyCrashesAreDecided() {
    for (int clients : new int[] {5, 20}) {
      List<RegisterRun.Event> run =
          RegisterRun.simulate(new RegisterRun.Plan(3_000, clients, 0.1, 5, SEED));
      Recording good = RegisterRun.record(run, run.size());
      assertThat(check(REGISTER, good).verdict()).as("seed " + SEED).isEqualTo(Verdict.VALID);
      int spoilt = RegisterRun.spoil(run, 0.8, 9L);
      Result result = check(REGISTER, RegisterRun.record(run, run.size()));
      assertThat(result.verdict()).isEqualTo(Verdict.INVALID);
      Failure failure = result.failure().orElseThrow();
      assertThat(failure.part().history().completeIndex(failure.operation())).isEqualTo(spoilt);
      assertThat(failure.counterexample().orElseThrow().verified()).isTrue();
      assertThat(failure.counterexample().orElseThrow().required()).isEqualTo(1);
    }
  }

  @Test
  void explainsAStaleRead() {
    Recording recording =
        recording(
            "INVOKE", 0L, "write", 1L, "OK", 0L, "write", null,
            "INVOKE", 2L, "write", 7L, "INFO", 2L, "write", null,
            "INVOKE", 1L, "read", null, "OK", 1L, "read", 0L,
            "INVOKE", 0L, "write", 3L, "OK", 0L, "write", null);
    Result result = check(REGISTER, recording);
    assertThat(TextReport.of(result).replaceAll(", [0-9]+ ms", ""))
        .isEqualTo(
            """
            NOT linearizable
              4 operations, model cas-register, by reigns of values
              First operation that cannot be linearized: read 0 by process 1, events 4..5
              the reigns of 0 and 1 would each have to come before the other
              Everything before its completion can be linearized (2 other operations).
              Right before, the state could be 1 or 7, among others
              These operations alone are not linearizable from the initial state (a second \
            search agrees):
                write 1 by process 0, events 0..1
                read 0 by process 1, events 4..5""");
    assertThat(EdnReport.of("f", result))
        .startsWith("{:file \"f\", :valid? false, :model \"cas-register\"")
        .contains(":op {:process 1, :type :ok, :f :read, :value 0, :invoke-index 4, :index 5}");
  }

  @Test
  void explainsThatAnUpdateInDoubtTookEffect() {
    Recording recording =
        recording(
            "INVOKE", 0L, "cas", List.of(0L, 1L), "INVOKE", 1L, "read", null,
            "INVOKE", 2L, "cas", List.of(0L, 2L), "OK", 1L, "read", 1L,
            "OK", 2L, "cas", null);
    Failure failure = check(REGISTER, recording).failure().orElseThrow();
    assertThat(failure.reason()).contains("0 was replaced twice");
    Counterexample alone = failure.counterexample().orElseThrow();
    assertThat(alone.verified()).isTrue();
    assertThat(alone.required()).isEqualTo(2);
  }

  @Test
  void picturesStayReadableAndSmallWithFiftyProcesses() {
    List<RegisterRun.Event> run =
        RegisterRun.simulate(new RegisterRun.Plan(2_000, 50, 0.05, 5, SEED));
    RegisterRun.spoil(run, 0.8, 9L);
    Result result = check(REGISTER, RegisterRun.record(run, run.size()));
    String svg = Picture.svg(result.failure().orElseThrow());
    assertThat(svg).startsWith("<svg").contains("cannot be linearized").hasSizeLessThan(1_000_000);
    assertThat(Picture.html(result.failure().orElseThrow(), TextReport.of(result)))
        .startsWith("<!DOCTYPE html>")
        .hasSizeLessThan(1_000_000);
  }

  @Test
  void nothingTestedIsUnknown() {
    assertThat(check(REGISTER, new Recording("event")).open().get(0).reason())
        .isEqualTo("the history is empty: nothing was tested");
    Recording failed = recording("INVOKE", 0L, "read", null, "FAIL", 0L, "read", null);
    assertThat(check(REGISTER, failed).verdict()).isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void keysAreCheckedApart() {
    Recording recording =
        recording(
            "INVOKE", 0L, "write", List.of("a", 1L), "OK", 0L, "write", null,
            "INVOKE", 1L, "write", List.of("b", 2L), "OK", 1L, "write", null,
            "INVOKE", 0L, "read", List.of("b", 0L), "OK", 0L, "read", List.of("b", 0L));
    Result result = check(new Keyed(REGISTER), recording);
    assertThat(result.verdict()).isEqualTo(Verdict.INVALID);
    assertThat(result.parts()).isEqualTo(2);
    assertThat(result.validParts()).isEqualTo(1);
    assertThat(result.failure().orElseThrow().part().label()).isEqualTo("\"b\"");
  }

  /** A model of the caller's own. */
  private static Model model(BiFunction<Object, Call, Object> step) {
    return new Model() {
      @Override
      public String name() {
        return "own";
      }

      @Override
      public Object initial() {
        return 0L;
      }

      @Override
      public Object step(Object state, Call call) {
        return step.apply(state, call);
      }
    };
  }

  @Test
  void aModelThatThrowsGivesNoVerdict() {
    Model broken =
        model(
            (state, call) -> {
              throw new IllegalStateException("no such thing");
            });
    Recording recording = recording("INVOKE", 0L, "read", null, "OK", 0L, "read", 1L);
    assertThatThrownBy(() -> check(broken, recording))
        .isInstanceOf(ModelException.class)
        .hasMessageContaining("the model own failed on read 1 in state 0")
        .hasMessageContaining("no such thing");
  }

  @Test
  void timeIsKeptWhateverTheModelDoes() {
    Model looping =
        model(
            (state, call) -> {
              long n = 0;
              while (!Thread.currentThread().isInterrupted()) {
                n++;
              }
              throw new IllegalStateException("interrupted after " + n + " rounds");
            });
    Recording recording = recording("INVOKE", 0L, "read", null, "OK", 0L, "read", 1L);
    long begin = System.nanoTime();
    Result result =
        Linearizability.check(
            looping, recording, Budget.standard().withTime(Duration.ofMillis(1_000)));
    double seconds = (System.nanoTime() - begin) / 1e9;
    assertThat(result.verdict()).isEqualTo(Verdict.UNKNOWN);
    assertThat(result.open().get(0).reason()).contains("time limit of 1.0 s");
    assertThat(result.open().get(0).advice()).contains("more time");
    assertThat(seconds).isBetween(0.9, 2.0);
  }

  @Test
  void heapIsKeptWhateverTheModelDoes() {
    Model growing = model((state, call) -> List.of(state, new long[16_384]));
    RegisterRun.Plan plan = new RegisterRun.Plan(50_000, 10, 0.1, 5, SEED);
    List<RegisterRun.Event> run = RegisterRun.simulate(plan);
    long used = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    Budget budget = new Budget(Duration.ofMinutes(1), used + (100 << 20), 2, 0);
    Result result =
        Linearizability.check(growing, RegisterRun.record(run, run.size()), budget);
    assertThat(result.verdict()).isEqualTo(Verdict.UNKNOWN);
    assertThat(result.open().get(0).reason()).contains("heap limit");
  }
}
