package interregnum.check.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import clojure.lang.PersistentVector;
import interregnum.check.history.HistoryException;
import interregnum.check.history.Recording;
import interregnum.check.model.Call;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HistoryReaderTest {

  private static Recording read(String text) {
    return HistoryReader.read(text.getBytes(StandardCharsets.UTF_8), Optional.empty());
  }

  private static void assertRejected(String text, String message) {
    assertThatThrownBy(() -> read(text))
        .as(text)
        .isInstanceOf(HistoryException.class)
        .hasMessage(message);
  }

  @Test
  void readsMapsOnePerLineOrInAVectorOrAList() {
    String maps =
        """
        {:index 0, :time 12, :type :invoke, :process 0, :f :cas, :value [1 2]}
        ; a comment
        {:index 1, :time 13, :type :info, :process :nemesis, :f :start, :value {:a #{"x"}}}
        #_ignored {:index 2, :time 14, :type :ok, :process 0, :f :cas, :value [1 2]}
        """;
    for (String text : new String[] {maps, "[" + maps + "]", "(" + maps + ")\n"}) {
      Recording recording = read(text);
      assertThat(recording.operations()).isEqualTo(1);
      assertThat(recording.successes()).isEqualTo(1);
      assertThat(recording.recorded(0))
          .contains(Call.of("cas", PersistentVector.create(1L, 2L)));
    }
  }

  @Test
  void readsTaggedOperationsAndAllKindsOfValues() {
    Recording recording =
        read(
            "#jepsen.history.Op{:index 0, :time -1, :type :invoke, :process 3, :f :write,"
                + " :value \"a\\n\\u0041\\\"\"}\n"
                + "{:process 4 :type :invoke :f :write :value -12.5e3}"
                + "{:process 5 :type :invoke :f :write :value 123456789012345678901234}"
                + "{:process 6 :type :invoke :f :write :value nil}");
    assertThat(recording.recorded(0)).contains(Call.of("write", "a\nA\""));
    assertThat(recording.recorded(1)).contains(Call.of("write", -12500.0));
    assertThat(recording.recorded(2).orElseThrow().value()).hasToString("123456789012345678901234");
    assertThat(recording.recorded(3)).contains(Call.of("write", null));
  }

  @Test
  void readsLogsOfPorcupine() {
    Recording recording =
        read(
            "INFO  jepsen.util - 0\t:invoke\t:read\tnil\nINFO  jepsen.util - 0   :ok :read 3\n"
                + "INFO  jepsen.util - 1\t:invoke\t:cas\t[1 2]\n"
                + "INFO  jepsen.util - 1\t:info\t:cas\t:timed-out\n");
    assertThat(recording.recorded(0)).contains(Call.of("read", 3L));
    assertThat(recording.recorded(1))
        .contains(Call.of("cas", PersistentVector.create(1L, 2L)));
    assertThat(recording.successes()).isEqualTo(1);
  }

  @Test
  void readsJsonLinesAndArrays() {
    String lines =
        "{\"process\": 0, \"type\": \"invoke\", \"f\": \"write\", \"value\": [1, null, \"x\"]}\n"
            + "{\"process\": 0, \"type\": \"ok\", \"f\": \"write\", \"value\": null}\n";
    assertThat(read(lines).recorded(0))
        .contains(Call.of("write", PersistentVector.create(1L, null, "x")));
    assertThat(read("[" + lines.replace("}\n{", "},\n{") + "]").successes()).isEqualTo(1);
  }

  @Test
  void putsTheKeyBeforeTheValue() {
    Recording recording = read("{:process 0, :type :invoke, :f :get, :key \"k\", :value nil}");
    assertThat(recording.recorded(0))
        .contains(Call.of("get", PersistentVector.create("k", null)));
  }

  @Test
  void saysWhereTextIsMalformed() {
    String begin = "{:process 0, :type :invoke, :f :read, :value nil}\n";
    assertRejected(
        begin + "{:process 0, :type :ok, :f :read",
        "line 2: expected a value, found the end of the file");
    assertRejected(
        begin + "{:process 0, :type :ok, :value [1 2}",
        "line 2: expected a value, found \"}\"");
    assertRejected(
        begin + "hello", "line 2: expected an operation, a map {...}, found \"hello\"");
    assertRejected(
        "[" + begin, "line 2: expected \"]\" at the end of the operations, found the end of the"
            + " file");
    assertRejected(
        "{:process 0, :type :maybe, :f :read}",
        "line 1: expected the type invoke, ok, fail or info, found maybe");
    assertRejected("{:type :invoke, :f :read}", "line 1: an operation needs a process");
    assertRejected("{:type :invoke, :process 1}", "line 1: an operation needs an f");
    assertRejected(
        "INFO  jepsen.util - 0\t:invoke\n",
        "line 1: expected \"... - process :type :f value\", found"
            + " \"INFO  jepsen.util - 0\t:invoke\"");
    assertThatThrownBy(() -> read("{\"process\": 0,\n \"type\": oops}"))
        .isInstanceOf(HistoryException.class)
        .hasMessageStartingWith("line 2: expected JSON");
  }

  @Test
  void saysWhereEventsCannotBe() {
    String invoke = "{:process 0, :type :invoke, :f :read, :value nil}\n";
    assertRejected(
        "{:process 0, :type :ok, :f :read, :value nil}",
        "line 1: process 0 completes read, which it did not invoke");
    assertRejected(
        invoke + invoke, "line 2: process 0 invokes read while its read is still open");
    assertRejected(
        invoke + "{:process 0, :type :ok, :f :write, :value nil}",
        "line 2: process 0 invoked read but completes write");
    assertRejected(
        "{:index 5, :process 0, :type :invoke, :f :read}\n"
            + "{:index 4, :process 1, :type :invoke, :f :read}",
        "line 2: operations are out of order: index 4 comes after index 5");
  }

  private static final int BLOCK_BYTES = 200;
  private static final int EVENTS = 400;

  /** A history in which every event has a line. */
  private static String lines(int lineOfOther, String other) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      String type = i % 2 == 0 ? "invoke" : "ok";
      String event = "{:index %d, :process %d, :type :%s, :f :write, :value %d}\n";
      all.append(i + 1 == lineOfOther ? other : event.formatted(i, i / 2 % 5, type, i / 2));
    }
    return all.toString();
  }

  private static String outcome(String text, int blockBytes) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      Recording recording =
          HistoryReader.read(new ByteArrayInputStream(bytes), Optional.of(Format.EDN), blockBytes);
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < recording.operations(); i++) {
        all.append(recording.recorded(i)).append('\n');
      }
      return all.append(recording.successes()).toString();
    } catch (HistoryException e) {
      return e.getMessage();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void saysWhereALateBlockIsWrong() {
    assertThat(outcome(lines(0, ""), BLOCK_BYTES)).endsWith("\n" + EVENTS / 2);
    assertThat(outcome(lines(333, "{:process 0, :type :maybe, :f :write}\n"), BLOCK_BYTES))
        .isEqualTo("line 333: expected the type invoke, ok, fail or info, found maybe");
    assertThat(outcome(lines(334, "{:process 0, :type :ok, :value [1 2}\n"), BLOCK_BYTES))
        .isEqualTo("line 334: expected a value, found \"}\"");
    assertThat(outcome(lines(336, "{:index 7, :process 4, :type :ok}\n"), BLOCK_BYTES))
        .isEqualTo("line 336: an operation needs an f");
    assertThat(outcome(lines(338, "{:index 7, :process 4, :type :ok, :f :write}\n"), BLOCK_BYTES))
        .isEqualTo("line 338: operations are out of order: index 7 comes after index 336");
    assertThat(outcome(lines(340, "\n\n{:process 3, :type :ok, :f :write}\n"), BLOCK_BYTES))
        .isEqualTo("line 342: process 3 completes write, which it did not invoke");
    assertThat(outcome("[" + lines(0, ""), BLOCK_BYTES))
        .isEqualTo(
            "line 401: expected \"]\" at the end of the operations, found the end of the file");
    assertThat(outcome(lines(0, "") + "]", BLOCK_BYTES))
        .isEqualTo("line 401: expected an operation, a map {...}, found \"]\"");
    assertThat(outcome(lines(350, "{:process 0, :value \"a\n{b\n"), BLOCK_BYTES))
        .isEqualTo("line 402: expected \" to close a string, found the end of the file");
  }

  private static final String[] VALUES = {
    "nil",
    "-17",
    "[1 [2 {3 4}]]",
    "\"a\n{:index 3, :type :ok}\n{\"",
    "{:a\n  {:b 1}\n {:c\n{}}}",
    "#{1\n#{2}}",
    "#_\n{:ignored 1} 5",
    "#tag\n{:x \"\\\"\\\\\"}",
    "\\{",
    "\\newline",
    "; {:comment\n{:a 1}",
    "[1 2}",
    "\"open",
    "{:a}",
    "\"\\u00zz\"",
    "\\"
  };

  private static String randomHistory(Random random) {
    int faults = random.nextInt(3) == 0 ? VALUES.length : VALUES.length - 5;
    String[] brackets = {"", "", "[]", "()", "[", "]", "\n[ \n ]\n", "#_ x ()"};
    String bracket = brackets[random.nextInt(random.nextInt(3) == 0 ? brackets.length : 4)];
    StringBuilder text = new StringBuilder(bracket.replaceFirst("[])].*", ""));
    int events = random.nextInt(60);
    for (int i = 0; i < events; i++) {
      String value = VALUES[random.nextInt(random.nextInt(40) == 0 ? faults : 11)];
      text.append(random.nextInt(8) == 0 ? "#jepsen.history.Op\n" : "")
          .append(random.nextInt(8) == 0 ? "#_ skipped\n{:f 1}\n" : "")
          .append("{:process ").append(random.nextInt(40) == 0 ? 0 : i / 2)
          .append(random.nextBoolean() ? ", " : ",\n ")
          .append(":type :").append(i % 2 == 0 ? "invoke" : "ok")
          .append(", :f :write, :value ").append(random.nextInt(3) == 0 ? value : i)
          .append(random.nextInt(20) == 0 ? " }" : "}\n");
    }
    return text + (bracket.contains("]") ? "]" : bracket.contains(")") ? ")" : "");
  }

  @Test
  void readsTheSameHoweverItIsCut() {
    long seed = 20260101;
    Random random = new Random(seed);
    int rejected = 0;
    for (int i = 0; i < 600; i++) {
      String text = randomHistory(random);
      String whole = outcome(text, 1 << 20);
      rejected += whole.contains("expected") ? 1 : 0;
      for (int blockBytes : new int[] {1, 64, 300}) {
        assertThat(outcome(text, blockBytes)).as(blockBytes + ": " + text).isEqualTo(whole);
      }
    }
    assertThat(rejected).isBetween(60, 540);
  }

  @Test
  void anEmptyFileIsAnEmptyHistory() {
    assertThat(read("").operations()).isZero();
    assertThat(read("[]").operations()).isZero();
  }
}
