package interregnum.check.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckCommandTest {

  private static final Path HISTORIES = Path.of("test/resources/histories/linearizability");

  @TempDir private Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... arguments) {
    out.reset();
    err.reset();
    return CheckCommand.run(new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8), arguments);
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private static String history(String... operations) {
    StringBuilder text = new StringBuilder();
    for (String operation : operations) {
      String[] fields = operation.split(" ", 4);
      text.append("{:process %s, :type :%s, :f :%s, :value %s}\n".formatted((Object[]) fields));
    }
    return text.toString();
  }

  @Test
  void agreesWithTheKnownVerdicts() throws IOException {
    assertThat(run(HISTORIES.toString())).isEqualTo(1);
    String table = out.toString(StandardCharsets.UTF_8);
    for (String line : Files.readAllLines(HISTORIES.resolve("verdicts.tsv"))) {
      String[] fields = line.split("\t");
      if (!fields[0].equals("file")) {
        String verdict = fields[2].equals("valid") ? "linearizable" : "NOT linearizable";
        assertThat(table)
            .containsPattern("(?m)^" + fields[0].replace(".", "\\.") + " +" + verdict + " ");
      }
    }
  }

  @Test
  void exitsWithZeroForValidOneForInvalidTwoForUnknown() throws IOException {
    String valid = file("a.edn", history("0 invoke write 1", "0 ok write 1"));
    String invalid = file("b.edn", history("0 invoke read nil", "0 ok read 1"));
    String unknown = file("c.edn", "");
    assertThat(run(valid)).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("a.edn: linearizable\n");
    assertThat(run(invalid)).isEqualTo(1);
    assertThat(run(unknown)).isEqualTo(2);
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("nothing was tested");
    assertThat(run(valid, unknown, invalid)).isEqualTo(1);
    assertThat(run(valid, unknown)).isEqualTo(2);
    assertThat(run("--initial", "1", invalid)).isZero();
  }

  @Test
  void reportsTroubleWithAFileAndGoesOn() throws IOException {
    String broken = file("a.edn", "{:process 0\n");
    String valid = file("b.edn", history("0 invoke write 1", "0 ok write 1"));
    assertThat(run(broken, valid)).isEqualTo(255);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("a.edn: line 2: expected a value");
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("b.edn");
    assertThat(run(file("c.edn", history("0 invoke enqueue 1", "0 ok enqueue 1"))))
        .isEqualTo(255);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("choose one with --model");
  }

  @Test
  void givesNoVerdictOnHistoriesThatCannotBe() throws IOException {
    String invoke = history("0 invoke write 1");
    String valid = history("0 invoke write 1", "0 ok write 1");
    String[][] cases = {
      {invoke + "{:process 0, :type :ok, :f", "", "line 2: expected a value"},
      {invoke + invoke, "", "line 2: process 0 invokes write while its write is still open"},
      {history("3 ok read 1"), "", "line 1: process 3 completes read, which it did not invoke"},
      {"{:index 4, :process 0, :type :invoke, :f :read}\n{:index 3, :process 1, :type :invoke,"
          + " :f :read}", "", "line 2: operations are out of order"},
      {valid, "mutex", "a mutex has no operation write"},
      {valid, "kv", "operations on a map need a value [key v], found 1"},
      {valid, "fenced-lock", "a fenced lock has no operation write"},
    };
    for (int i = 0; i < cases.length; i++) {
      String file = file(i + ".edn", cases[i][0]);
      String[] arguments =
          cases[i][1].isEmpty() ? new String[] {file} : new String[] {file, "--model", cases[i][1]};
      assertThat(run(arguments)).as(cases[i][2]).isEqualTo(255);
      assertThat(err.toString(StandardCharsets.UTF_8)).contains(file + ": ", cases[i][2]);
      assertThat(out.toString(StandardCharsets.UTF_8)).as("no verdict").isEmpty();
    }
  }

  @Test
  void tabulatesAFolderAndSaysWhichFilesAreNoHistories() throws IOException {
    file("a.edn", history("0 invoke write 1", "0 ok write 1"));
    file("b.jsonl", "{\"process\": 0, \"type\": \"invoke\", \"f\": \"read\"}\n"
        + "{\"process\": 0, \"type\": \"ok\", \"f\": \"read\", \"value\": 3}\n");
    file("c.json", "{\"process\": 0,\n");
    file("notes.md", "no history");
    assertThat(run(folder.toString())).isEqualTo(1);
    assertThat(out.toString(StandardCharsets.UTF_8).lines())
        .hasSize(2)
        .anyMatch(line -> line.matches("a\\.edn +linearizable +1 operations.*"))
        .anyMatch(line -> line.matches("b\\.jsonl +NOT linearizable +1 operations.*event 1"));
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("c.json: line 2: expected JSON");
  }

  @Test
  void rejectsBadArguments() {
    assertThat(run()).isEqualTo(254);
    assertThat(run("--model", "nope", HISTORIES.toString())).isEqualTo(254);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("unknown model nope; known are");
    assertThat(run("--format", "nope", HISTORIES.toString())).isEqualTo(254);
    assertThat(run("--time-limit", "x", HISTORIES.toString())).isEqualTo(254);
    assertThat(run(folder.resolve("absent.edn").toString())).isEqualTo(254);
    assertThat(run("--help")).isZero();
  }

  @Test
  void splitsKeyedValuesAndDrawsTheFailure() throws IOException {
    String keyed =
        file(
            "keyed.edn",
            history(
                "0 invoke write [:a 1]",
                "0 ok write [:a 1]",
                "0 invoke read [:a nil]",
                "0 ok read [:a 2]"));
    Path svg = folder.resolve("failure.svg");
    assertThat(run(keyed, "--picture", svg.toString(), "--edn")).isEqualTo(1);
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains(":valid? false, :model \"keyed cas-register\"", ":keys [:a]");
    assertThat(svg).content().startsWith("<svg").contains("Key :a: read 2 by process 0");
  }
}
