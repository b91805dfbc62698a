package interregnum.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeysTest {

  private static String encode(Object... values) {
    return Keys.encode(Arrays.asList(values));
  }

  @Test
  void integersSortAsNumbers() {
    List<Object> numbers =
        List.of(Long.MIN_VALUE, -1000L, -2L, -1L, 0L, 1L, 9L, 10L, 4001L, Long.MAX_VALUE,
            new BigInteger("9223372036854775808"), new BigInteger("18446744073709551615"));
    assertThat(numbers.stream().map(n -> encode(n))).isSorted().doesNotHaveDuplicates();
    assertThat(encode(4001L)).isEqualTo("p00000000000000004001");
  }

  @Test
  void textsSortByCharacterWhateverTheyHold() {
    List<String> texts =
        new ArrayList<>(List.of("", " ", "!", "#", "#2", "a", "a ", "a!", "a#", "aa", "ab/", "ab"));
    Collections.sort(texts);
    assertThat(texts.stream().map(t -> encode(t))).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void doublesSortAsNumbers() {
    List<Double> numbers =
        List.of(Double.NEGATIVE_INFINITY, -2.5, -1e-9, 0.0, 1e-9, 1.0, 2.5, 1e300);
    assertThat(numbers.stream().map(n -> encode(n))).isSorted().doesNotHaveDuplicates();
    assertThat(encode(-0.0)).isEqualTo(encode(0.0));
  }

  @Test
  void nullSortsFirstAndCombinationsSortColumnByColumn() {
    List<String> keys =
        List.of(encode(null, 5L), encode("a", null), encode("a", 1L), encode("a", 2L),
            encode("a ", 1L), encode("b", 0L));
    assertThat(keys).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void namesAreEscapedAndIgnoreCase() {
    assertThat(Keys.table("Test", "a/b#c")).isEqualTo("/interregnum/meta/table/test/a#2fb#23c");
  }

  @Test
  void uniqueEntriesExcludeEachOtherUnlessNull() {
    IndexInfo unique = new IndexInfo(3, "u", List.of("v"), true, SchemaState.PUBLIC);
    String key = encode(7L);
    assertThat(Keys.indexEntry(12, unique, List.of(5L), key))
        .isEqualTo("/interregnum/index/0000000012/0003/p00000000000000000005");
    assertThat(Keys.indexEntry(12, unique, Collections.singletonList(null), key))
        .isEqualTo("/interregnum/index/0000000012/0003/0,p00000000000000000007");
  }

  @Test
  void theKeyOfARowIsFoundAgain() {
    assertThat(Keys.keyOfRow(Keys.row(12, encode("x/y", 3L)))).isEqualTo(encode("x/y", 3L));
  }
}
