package interregnum.check.read;

import clojure.lang.BigInt;
import clojure.lang.Keyword;
import clojure.lang.PersistentArrayMap;
import clojure.lang.PersistentHashMap;
import clojure.lang.PersistentHashSet;
import clojure.lang.PersistentList;
import clojure.lang.PersistentVector;
import clojure.lang.Symbol;
import interregnum.check.history.HistoryException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Parses EDN in UTF-8 without copying it. Tagged values are read as the value; what is wrong is
 * reported with its line.
 */
final class EdnParser {

  private static final boolean[] DELIMITERS = new boolean[256];

  static {
    for (char c : " ,\n\r\t\f\"[]{}();".toCharArray()) {
      DELIMITERS[c] = true;
    }
  }

  private final byte[] text;
  private final int end;
  private int at;
  private int line;
  private final Keyword[] keywords = new Keyword[1024];
  private final byte[][] keywordTexts = new byte[1024][];

  EdnParser(byte[] text) {
    this(text, text.length, 1);
  }

  /** Parses the first {@code length} bytes of a text that begins at a line of its file. */
  EdnParser(byte[] text, int length, int line) {
    this.text = text;
    this.end = length;
    this.line = line;
  }

  /** The line of the current position. */
  int line() {
    return line;
  }

  /** The current position in the text. */
  int position() {
    return at;
  }

  HistoryException error(String expected) {
    String found = at >= end ? "the end of the file" : "\"" + excerpt() + "\"";
    return new HistoryException("line " + line() + ": expected " + expected + ", found " + found);
  }

  private String excerpt() {
    int to = at;
    while (to < end && to - at < 30 && text[to] != '\n') {
      to++;
    }
    return new String(text, at, to - at, StandardCharsets.UTF_8);
  }

  /** Skips blanks and comments; the next character, or -1 at the end. */
  int peek() {
    while (at < end) {
      byte b = text[at];
      if (b == ';') {
        while (at < end && text[at] != '\n') {
          at++;
        }
      } else if (b == '#' && at + 1 < end && text[at + 1] == '_') {
        at += 2;
        value();
      } else if (b == ' ' || b == '\n' || b == ',' || b == '\r' || b == '\t' || b == '\f') {
        line += b == '\n' ? 1 : 0;
        at++;
      } else {
        return b;
      }
    }
    return -1;
  }

  /** Moves past a character that {@link #peek} has seen. */
  void skip() {
    at++;
  }

  /** Skips a tag, if one comes next. */
  void skipTag() {
    if (peek() == '#' && at + 1 < end && isLetter(text[at + 1])) {
      at++;
      token();
    }
  }

  private static boolean isLetter(byte b) {
    return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z';
  }

  /** Parses the next value. */
  Object value() {
    int c = peek();
    switch (c) {
      case -1:
        throw error("a value");
      case '"':
        return string();
      case ':':
        return keyword();
      case '[':
        return PersistentVector.create(elements('[', ']'));
      case '(':
        return PersistentList.create(elements('(', ')'));
      case '{':
        return map();
      case '#':
        return dispatch();
      case '\\':
        return character();
      case ']', ')', '}':
        throw error("a value");
      default:
        return number(c) ? numeric() : symbol();
    }
  }

  private boolean number(int c) {
    boolean sign = (c == '-' || c == '+') && at + 1 < end && isDigit(text[at + 1]);
    return sign || isDigit((byte) c);
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  private Object dispatch() {
    if (at + 1 < end && text[at + 1] == '{') {
      at++;
      return PersistentHashSet.create(elements('{', '}'));
    }
    if (at + 1 < end && isLetter(text[at + 1])) {
      skipTag();
      return value();
    }
    throw error("a set or a tagged value");
  }

  private List<Object> elements(char open, char close) {
    int begin = line();
    at++;
    List<Object> all = new ArrayList<>();
    while (true) {
      int c = peek();
      if (c == close) {
        at++;
        return all;
      }
      if (c < 0) {
        throw error("\"" + close + "\" to close \"" + open + "\" of line " + begin);
      }
      all.add(value());
    }
  }

  private Object map() {
    List<Object> all = elements('{', '}');
    if (all.size() % 2 == 1) {
      throw error("a value for the last key of a map");
    }
    return all.size() <= 16
        ? PersistentArrayMap.createAsIfByAssoc(all.toArray())
        : PersistentHashMap.create(all.toArray());
  }

  /** Moves to the end of a token and returns its beginning. */
  private int token() {
    int begin = at;
    int to = begin;
    while (to < end && !DELIMITERS[text[to] & 0xff]) {
      to++;
    }
    at = to;
    return begin;
  }

  private String text(int from) {
    return new String(text, from, at - from, StandardCharsets.UTF_8);
  }

  Keyword keyword() {
    at++;
    int begin = token();
    if (begin == at) {
      throw error("the name of a keyword");
    }
    int hash = 0;
    for (int i = begin; i < at; i++) {
      hash = 31 * hash + text[i];
    }
    int slot = (hash ^ hash >>> 10) & keywords.length - 1;
    byte[] known = keywordTexts[slot];
    if (known != null && Arrays.equals(known, 0, known.length, text, begin, at)) {
      return keywords[slot];
    }
    keywordTexts[slot] = Arrays.copyOfRange(text, begin, at);
    keywords[slot] = Keyword.intern(text(begin));
    return keywords[slot];
  }

  private Object numeric() {
    int begin = token();
    boolean negative = text[begin] == '-';
    long n = 0;
    int i = negative || text[begin] == '+' ? begin + 1 : begin;
    if (at - i <= 18) {
      while (i < at && isDigit(text[i])) {
        n = 10 * n + text[i++] - '0';
      }
      if (i == at) {
        return negative ? -n : n;
      }
    }
    return otherNumber(begin, text(begin));
  }

  private Object otherNumber(int begin, String s) {
    try {
      if (s.endsWith("M")) {
        return new BigDecimal(s.substring(0, s.length() - 1));
      }
      if (s.endsWith("N")) {
        return BigInt.fromBigInteger(new BigInteger(s.substring(0, s.length() - 1)));
      }
      if (s.matches("[-+]?[0-9]+")) {
        BigInteger big = new BigInteger(s);
        return big.bitLength() < 64 ? (Object) big.longValue() : BigInt.fromBigInteger(big);
      }
      return Double.valueOf(s);
    } catch (NumberFormatException e) {
      at = begin;
      throw error("a number");
    }
  }

  private Object symbol() {
    int begin = token();
    if (begin == at) {
      throw error("a value");
    }
    String s = text(begin);
    return switch (s) {
      case "nil" -> null;
      case "true" -> true;
      case "false" -> false;
      default -> Symbol.intern(s);
    };
  }

  private Object character() {
    int begin = ++at;
    if (at == end) {
      throw error("a character");
    }
    line += text[at++] == '\n' ? 1 : 0;
    token();
    String s = text(begin);
    return switch (s) {
      case "newline" -> '\n';
      case "space" -> ' ';
      case "tab" -> '\t';
      case "return" -> '\r';
      default -> s.charAt(0);
    };
  }

  private String string() {
    int begin = ++at;
    boolean plain = true;
    while (at < end && text[at] != '"') {
      boolean escape = text[at] == '\\';
      plain &= !escape;
      line += text[at] == '\n' || escape && at + 1 < end && text[at + 1] == '\n' ? 1 : 0;
      at += escape ? 2 : 1;
    }
    if (at >= end) {
      at = end;
      throw error("\" to close a string");
    }
    String s = text(begin);
    at++;
    return plain ? s : unescape(s);
  }

  private String unescape(String s) {
    StringBuilder out = new StringBuilder(s.length());
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c != '\\') {
        out.append(c);
        continue;
      }
      char escaped = s.charAt(++i);
      switch (escaped) {
        case 'n' -> out.append('\n');
        case 't' -> out.append('\t');
        case 'r' -> out.append('\r');
        case 'b' -> out.append('\b');
        case 'f' -> out.append('\f');
        case 'u' -> {
          if (i + 4 >= s.length()) {
            throw error("four hexadecimal digits after \\u");
          }
          out.append(hexadecimal(s.substring(i + 1, i + 5)));
          i += 4;
        }
        default -> out.append(escaped);
      }
    }
    return out.toString();
  }

  private char hexadecimal(String digits) {
    try {
      return (char) Integer.parseUnsignedInt(digits, 16);
    } catch (NumberFormatException e) {
      throw error("four hexadecimal digits after \\u");
    }
  }
}
