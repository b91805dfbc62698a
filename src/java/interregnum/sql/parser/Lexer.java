package interregnum.sql.parser;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a statement into tokens as MySQL does: both kinds of quotes, backslash escapes, three kinds
 * of comments. What stands in a {@code /*! ... *}{@code /} or {@code /*T! ... *}{@code /} comment
 * counts.
 */
final class Lexer {

  private static final int DEPTH_MAX = 60;
  private static final List<String> LONG_SYMBOLS =
      List.of("<=>", "<=", ">=", "<>", "!=", "&&", "||", ":=", "<<", ">>");

  private final String sql;
  private final List<Token> tokens = new ArrayList<>();
  private int at;
  private int depth;

  private Lexer(String sql) {
    this.sql = sql;
  }

  /** The tokens of {@code sql}, without a final semicolon, ended by an {@code END}. */
  static List<Token> tokens(String sql) {
    Lexer lexer = new Lexer(sql);
    while (lexer.next()) {}
    List<Token> tokens = lexer.tokens;
    while (!tokens.isEmpty() && tokens.get(tokens.size() - 1).isSymbol(";")) {
      tokens.remove(tokens.size() - 1);
    }
    tokens.add(new Token(Token.Kind.END, "", sql.length()));
    return tokens;
  }

  /** The error that MySQL reports for a statement that makes no sense from {@code position} on. */
  static SqlException syntaxError(String sql, int position) {
    String rest = sql.substring(Math.min(position, sql.length()));
    String near = rest.substring(0, Math.min(80, rest.length()));
    return SqlError.SYNTAX.with(
        "You have an error in your SQL syntax; check the manual for the right syntax to use"
            + " near '%s'",
        near);
  }

  private boolean next() {
    skipBlanks();
    if (at >= sql.length()) {
      return false;
    }
    char c = sql.charAt(at);
    if (c == '\'' || c == '"') {
      text(c);
    } else if (c == '`') {
      quotedName();
    } else if (isDigit(c) || c == '.' && isDigit(peek(1))) {
      number();
    } else if (c == '?') {
      add(Token.Kind.PARAMETER, at, at + 1);
    } else if (c == '@') {
      variable();
    } else if (isNamePart(c)) {
      add(Token.Kind.WORD, at, endOfName(at));
    } else {
      symbol(c);
    }
    return true;
  }

  private void skipBlanks() {
    boolean moved = true;
    while (moved) {
      int before = at;
      while (at < sql.length() && sql.charAt(at) <= ' ') {
        at++;
      }
      skipComment();
      moved = at > before;
    }
  }

  private void skipComment() {
    if (peek(0) == '#' || sql.startsWith("--", at) && peek(2) <= ' ') {
      int end = sql.indexOf('\n', at);
      at = end < 0 ? sql.length() : end;
    } else if (sql.startsWith("*/", at)) {
      at += 2;
    } else if (sql.startsWith("/*!", at)) {
      at += 3;
      while (isDigit(peek(0))) {
        at++;
      }
    } else if (sql.startsWith("/*T!", at)) {
      at += 4;
      if (peek(0) == '[') {
        at = endOf("]");
      }
    } else if (sql.startsWith("/*", at)) {
      at = endOf("*/");
    }
  }

  private int endOf(String closing) {
    int end = sql.indexOf(closing, at + 2);
    if (end < 0) {
      throw syntaxError(sql, at);
    }
    return end + closing.length();
  }

  private void text(char quote) {
    int start = at++;
    StringBuilder out = new StringBuilder();
    while (true) {
      char c = charAt(start);
      if (c == quote) {
        if (peek(1) != quote) {
          break;
        }
        at++;
      } else if (c == '\\') {
        at++;
        c = unescaped(charAt(start), out);
      }
      out.append(c);
      at++;
    }
    at++;
    tokens.add(new Token(Token.Kind.TEXT, out.toString(), start));
  }

  private char charAt(int start) {
    if (at >= sql.length()) {
      throw syntaxError(sql, start);
    }
    return sql.charAt(at);
  }

  private static char unescaped(char c, StringBuilder out) {
    switch (c) {
      case '0':
        return '\0';
      case 'b':
        return '\b';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'Z':
        return '\u001a';
      case '%', '_':
        out.append('\\');
        return c;
      default:
        return c;
    }
  }

  private void quotedName() {
    int start = at++;
    StringBuilder out = new StringBuilder();
    while (charAt(start) != '`' || peek(1) == '`') {
      out.append(sql.charAt(at));
      at += sql.charAt(at) == '`' ? 2 : 1;
    }
    at++;
    tokens.add(new Token(Token.Kind.QUOTED_NAME, out.toString(), start));
  }

  private void number() {
    int start = at;
    int end = at;
    while (end < sql.length() && (isDigit(sql.charAt(end)) || sql.charAt(end) == '.')) {
      end++;
    }
    int exponent = exponentEnd(end);
    int name = endOfName(start);
    if (exponent == end && name > end) {
      add(Token.Kind.WORD, start, name);
    } else {
      add(Token.Kind.NUMBER, start, exponent);
    }
  }

  private int exponentEnd(int end) {
    int digits = end;
    if (digits < sql.length() && Character.toLowerCase(sql.charAt(digits)) == 'e') {
      digits++;
      if (digits < sql.length() && "+-".indexOf(sql.charAt(digits)) >= 0) {
        digits++;
      }
      int first = digits;
      while (digits < sql.length() && isDigit(sql.charAt(digits))) {
        digits++;
      }
      return digits > first ? digits : end;
    }
    return end;
  }

  private void variable() {
    int end = at + 1;
    if (end < sql.length() && sql.charAt(end) == '@') {
      end++;
    }
    while (end < sql.length() && (isNamePart(sql.charAt(end)) || sql.charAt(end) == '.')) {
      end++;
    }
    add(Token.Kind.WORD, at, end);
  }

  private void symbol(char c) {
    for (String symbol : LONG_SYMBOLS) {
      if (sql.startsWith(symbol, at)) {
        add(Token.Kind.SYMBOL, at, at + symbol.length());
        return;
      }
    }
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth > DEPTH_MAX || "()*,;.+-/%=<>!&|^~{}:".indexOf(c) < 0) {
      throw syntaxError(sql, at);
    }
    add(Token.Kind.SYMBOL, at, at + 1);
  }

  private void add(Token.Kind kind, int from, int to) {
    tokens.add(new Token(kind, sql.substring(from, to), from));
    at = to;
  }

  private int endOfName(int from) {
    int end = from;
    while (end < sql.length() && isNamePart(sql.charAt(end))) {
      end++;
    }
    return end;
  }

  private char peek(int ahead) {
    return at + ahead < sql.length() ? sql.charAt(at + ahead) : '\0';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isNamePart(char c) {
    return isDigit(c)
        || c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c == '_'
        || c == '$'
        || c >= 0x80;
  }
}
