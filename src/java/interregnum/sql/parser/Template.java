package interregnum.sql.parser;

import interregnum.error.SqlError;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * A query with its literals taken out.
 *
 * @param sql the statement with a {@code ?} for each literal and each parameter
 * @param slots what stands for each {@code ?}: a literal's value, or {@link #PLACEHOLDER}
 */
record Template(String sql, List<Object> slots) {

  /** Stands where the client will give a value. */
  static final Object PLACEHOLDER =
      new Object() {
        @Override
        public String toString() {
          return "?";
        }
      };

  /** The template of a statement, in the form that JSqlParser takes. */
  static Template of(List<Token> tokens) {
    StringBuilder sql = new StringBuilder();
    List<Object> slots = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.kind() == Token.Kind.NUMBER) {
        slots.add(number(token.text()));
        sql.append("? ");
      } else if (token.kind() == Token.Kind.TEXT) {
        slots.add(token.text());
        sql.append("? ");
      } else if (token.kind() == Token.Kind.PARAMETER) {
        slots.add(PLACEHOLDER);
        sql.append("? ");
      } else {
        sql.append(token.isSymbol("&&") ? "AND" : token.sql()).append(' ');
      }
    }
    return new Template(rewritten(sql.toString().strip()), slots);
  }

  /** Forms of MySQL that JSqlParser 5.3 does not take. */
  private static String rewritten(String sql) {
    return sql.replaceFirst("(?i)^(insert\\b.*?) \\( \\) (values? )", "$1 $2")
        .replaceFirst("(?i) LOCK IN SHARE MODE$", "");
  }

  private static Object number(String digits) {
    if (!digits.chars().allMatch(Character::isDigit)) {
      try {
        return Double.valueOf(digits);
      } catch (NumberFormatException e) {
        throw SqlError.SYNTAX.with(
            "You have an error in your SQL syntax; '%s' is not a number", digits);
      }
    }
    BigInteger value = new BigInteger(digits);
    return value.bitLength() < 64 ? (Object) value.longValue() : value;
  }
}
