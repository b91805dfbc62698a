package interregnum.check.model;

import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

/** Values as Clojure would print them readably. */
public final class Text {

  private Text() {}

  /** Returns {@code value} in EDN, as far as it consists of data. */
  public static String of(Object value) {
    if (value == null) {
      return "nil";
    }
    if (value instanceof String s) {
      return quote(s);
    }
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(e -> of(e.getKey()) + " " + of(e.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    if (value instanceof java.util.Set<?> set) {
      return join(set, "#{", "}");
    }
    if (value instanceof java.util.List<?> list) {
      return join(list, "[", "]");
    }
    if (value instanceof Collection<?> other) {
      return join(other, "(", ")");
    }
    return value.toString();
  }

  private static String join(Collection<?> values, String open, String close) {
    return values.stream().map(Text::of).collect(Collectors.joining(" ", open, close));
  }

  private static String quote(String s) {
    StringBuilder out = new StringBuilder(s.length() + 2).append('"');
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\t' -> out.append("\\t");
        case '\r' -> out.append("\\r");
        default -> out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
