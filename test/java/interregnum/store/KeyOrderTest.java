package interregnum.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyOrderTest {

  @Test
  void ordersKeysAsTheirBytesAreOrdered() {
    List<String> texts = List.of("", "a", "aa", "b", "é", "\ud7ff", "\ue000", "\uffff", "😀", "😀b");
    for (String a : texts) {
      for (String b : texts) {
        int expected =
            Arrays.compareUnsigned(
                a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
        assertThat(Integer.signum(KeyOrder.INSTANCE.compare(a, b)))
            .as("%s <=> %s", a, b)
            .isEqualTo(Integer.signum(expected));
      }
    }
  }
}
