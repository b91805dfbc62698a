package interregnum.sql.parser;

import java.util.Locale;

/**
 * A token of a statement.
 *
 * @param text the word as written, the name without quotes, the text without quotes and escapes,
 *     the digits, or the symbol
 * @param position where it begins in the statement
 */
record Token(Kind kind, String text, int position) {

  enum Kind {
    WORD,
    QUOTED_NAME,
    TEXT,
    NUMBER,
    PARAMETER,
    SYMBOL,
    END
  }

  /** Whether it is this keyword. */
  boolean is(String keyword) {
    return kind == Kind.WORD && text.equalsIgnoreCase(keyword);
  }

  /** Whether it is this symbol. */
  boolean isSymbol(String symbol) {
    return kind == Kind.SYMBOL && text.equals(symbol);
  }

  /** A keyword in upper case; other tokens as they are. */
  String upper() {
    return kind == Kind.WORD ? text.toUpperCase(Locale.ROOT) : text;
  }

  /** The token as SQL that means the same. */
  String sql() {
    return switch (kind) {
      case QUOTED_NAME -> "`" + text.replace("`", "``") + "`";
      case TEXT -> "'" + text.replace("'", "''") + "'";
      case PARAMETER -> "?";
      default -> text;
    };
  }
}
