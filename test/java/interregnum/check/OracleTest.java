package interregnum.check;

import static org.assertj.core.api.Assertions.assertThat;

import interregnum.check.fast.FastCheck;
import interregnum.check.history.History;
import interregnum.check.history.Recording;
import interregnum.check.model.Model;
import interregnum.check.search.DepthFirstSearch;
import interregnum.check.search.Finding;
import interregnum.check.search.ForwardSearch;
import interregnum.check.search.Problem;
import interregnum.check.search.Stop;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Compares every method with brute force on small random histories. The seed is printed and taken
 * back from {@code -Dcheck.seed}; {@code -Dcheck.histories} sets how many are drawn per model. More
 * than a million histories in all:
 *
 * <pre>
 *   mvn -q -DskipClojureTests=true -Dtest=OracleTest -Dcheck.histories=80000 test
 * </pre>
 */
class OracleTest {

  private static final int HISTORIES = Integer.getInteger("check.histories", 400);
  private static final long SEED = Long.getLong("check.seed", System.nanoTime());

  private int failures;
  private int explained;

  @Test
  void agreesWithBruteForceOnSmallHistories() {
    System.out.println("OracleTest: -Dcheck.seed=" + SEED);
    for (RandomHistories.Family family : RandomHistories.families()) {
      int valid = 0;
      for (int i = 0; i < HISTORIES; i++) {
        Recording recording = RandomHistories.draw(family, 6, new Random(SEED + i));
        valid += compare(family, recording, "seed " + (SEED + i)) ? 1 : 0;
      }
      assertThat(valid).as(family.name() + ": both verdicts occur").isBetween(1, HISTORIES - 1);
    }
    assertThat(explained).as("failures with a counterexample").isGreaterThan(failures / 10 * 9);
  }

  private boolean compare(RandomHistories.Family family, Recording recording, String seed) {
    Model model = family.model();
    History history = recording.history(model);
    String what = family.name() + ", " + seed;
    int expected = Oracle.firstFailure(model, history);
    Finding forward = new ForwardSearch(new Problem(model, history, new Stop())).run();
    assertThat(failure(history, forward)).as("forward search, " + what).isEqualTo(expected);
    Finding depthFirst = new DepthFirstSearch(new Problem(model, history, new Stop())).run();
    assertThat(failure(history, depthFirst)).as("depth first, " + what).isEqualTo(expected);
    for (Part part : Part.split(model, history)) {
      checkPart(part, what);
    }
    return expected < 0;
  }

  private void checkPart(Part part, String what) {
    int expected = Oracle.firstFailure(part.model(), part.history());
    FastCheck.of(part.model())
        .filter(f -> f.applies(part.history()))
        .ifPresent(
            f ->
                assertThat(f.conflict(part.history()).isPresent())
                    .as(f.name() + ", " + what)
                    .isEqualTo(expected >= 0));
    Watch watch = new Watch(Budget.standard(), System.nanoTime());
    PartCheck.Answer answer = new PartCheck(part, watch, true, false).run(Optional.empty());
    assertThat(answer.decided()).as(what).isTrue();
    int found =
        answer.failure().map(f -> part.history().complete(f.operation())).orElse(-1);
    assertThat(found).as("portfolio, " + what).isEqualTo(expected);
    answer
        .failure()
        .ifPresent(
            f -> {
              failures++;
              explained += f.counterexample().isPresent() ? 1 : 0;
              assertThat(f.counterexample().map(Counterexample::verified).orElse(true))
                  .as("verified, " + what)
                  .isTrue();
            });
  }

  private static int failure(History history, Finding finding) {
    return finding instanceof Finding.NotLinearizable n ? history.complete(n.operation()) : -1;
  }
}
