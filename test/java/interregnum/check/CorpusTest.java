package interregnum.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import clojure.lang.PersistentHashMap;
import clojure.lang.Keyword;
import interregnum.check.history.Recording;
import interregnum.check.model.Model;
import interregnum.check.model.Models;
import interregnum.check.read.HistoryReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks the histories with known verdicts in {@code ../shared/histories}, if they are there. */
class CorpusTest {

  private static final Path CORPORA = Path.of("../shared/histories");

  @Test
  void agreesWithEveryKnownVerdict() throws IOException {
    assumeTrue(
        Files.isDirectory(CORPORA), "skipped: there is no ../shared/histories beside the checkout");
    int checked = 0;
    for (String corpus : new String[] {"porcupine", "knossos"}) {
      Path folder = CORPORA.resolve(corpus);
      try (Stream<String> lines = Files.lines(folder.resolve("verdicts.tsv"))) {
        for (String line : lines.skip(1).toList()) {
          String[] fields = line.split("\t");
          check(folder.resolve(fields[0]), fields[1].split(" ")[0], fields[2]);
          checked++;
        }
      }
    }
    assertThat(checked).isEqualTo(173);
  }

  private static void check(Path file, String model, String verdict) throws IOException {
    Recording recording = HistoryReader.read(file, Optional.empty());
    Model named = Models.named(model, initial(model)).orElseThrow();
    Verdict expected =
        recording.successes() == 0
            ? Verdict.UNKNOWN
            : verdict.equals("valid") ? Verdict.VALID : Verdict.INVALID;
    Budget budget = Budget.standard().withExplanations(0);
    assertThat(Linearizability.check(named, recording, budget).verdict())
        .as(file.toString())
        .isEqualTo(expected);
  }

  private static Object initial(String model) {
    return model.equals("multi-register")
        ? PersistentHashMap.create(Keyword.intern("x"), 0L, Keyword.intern("y"), 0L)
        : null;
  }
}
