package interregnum.check.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import clojure.lang.PersistentVector;
import interregnum.check.history.HistoryException;
import interregnum.check.history.Recording;
import interregnum.check.model.Call;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
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

  @Test
  void anEmptyFileIsAnEmptyHistory() {
    assertThat(read("").operations()).isZero();
    assertThat(read("[]").operations()).isZero();
  }
}
