package interregnum.error;

import static org.assertj.core.api.Assertions.assertThat;

import clojure.java.api.Clojure;
import clojure.lang.IFn;
import clojure.lang.Keyword;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SqlErrorTest {

  record Entry(long code, String name, String sqlState, boolean definite) {}

  private static List<Map<?, ?>> registry;

  @BeforeAll
  @SuppressWarnings("unchecked")
  static void readRegistry() throws Exception {
    Clojure.var("clojure.core", "require").invoke(Clojure.read("clojure.edn"));
    IFn read = Clojure.var("clojure.edn", "read-string");
    registry = (List<Map<?, ?>>) read.invoke(Files.readString(Path.of("resources/errors.edn")));
  }

  private static Object field(Map<?, ?> entry, String name) {
    return entry.get(Keyword.intern(name));
  }

  @Test
  void equalsTheRegistry() {
    List<Entry> inFile =
        registry.stream()
            .map(
                e ->
                    new Entry(
                        (Long) field(e, "code"),
                        ((Keyword) field(e, "name")).getName(),
                        (String) field(e, "sql-state"),
                        (Boolean) field(e, "definite?")))
            .toList();
    List<Entry> inCode =
        Arrays.stream(SqlError.values())
            .map(e -> new Entry(e.code(), e.id(), e.sqlState(), e.isDefinite()))
            .toList();
    assertThat(inCode).isEqualTo(inFile);
  }

  @Test
  void numbersAndNamesAreUnique() {
    assertThat(registry.stream().map(e -> field(e, "code"))).doesNotHaveDuplicates();
    assertThat(registry.stream().map(e -> field(e, "name"))).doesNotHaveDuplicates();
  }

  @Test
  void everyEntryIsExplainedInOneSentence() {
    assertThat(registry.stream().map(e -> (String) field(e, "doc")))
        .allSatisfy(doc -> assertThat(doc).isNotBlank().endsWith(".").doesNotContain(". "));
  }
}
