package interregnum.sql.parser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import java.time.Duration;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LexerTest {

  private static final String LETTERS = "1.ex@'`*/- #(!";

  private static String kinds(String sql) {
    return Lexer.tokens(sql).stream()
        .filter(t -> t.kind() != Token.Kind.END)
        .map(t -> t.kind() + ":" + t.text())
        .collect(Collectors.joining(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "15, NUMBER:15",
    "1.5, NUMBER:1.5",
    ".5, NUMBER:.5",
    "1e5, NUMBER:1e5",
    "1.5e-3, NUMBER:1.5e-3",
    "1x, WORD:1x",
    "1ex, WORD:1ex",
    ".5x, NUMBER:.5 WORD:x",
    "1.5x, NUMBER:1.5 WORD:x",
    "1e5x, NUMBER:1e5 WORD:x"
  })
  void tellsNumbersFromNamesThatBeginWithDigits(String sql, String expected) {
    assertThat(kinds(sql)).isEqualTo(expected);
  }

  /** Every text of four letters has tokens, or is refused. */
  @Test
  void endsOnAnyText() {
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> {
          int n = LETTERS.length();
          for (int i = 0; i < n * n * n * n; i++) {
            String sql =
                "" + LETTERS.charAt(i % n) + LETTERS.charAt(i / n % n)
                    + LETTERS.charAt(i / n / n % n) + LETTERS.charAt(i / n / n / n);
            try {
              assertThat(Lexer.tokens(sql)).isNotEmpty();
            } catch (SqlException e) {
              assertThat(e.error()).isEqualTo(SqlError.SYNTAX);
            }
          }
        });
  }
}
