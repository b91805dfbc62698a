package interregnum.sql;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.table.Column;
import interregnum.table.ColumnType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * SQL values: {@code Long}, {@code BigInteger} (only beyond a long), {@code Double}, {@code
 * String}, and null for NULL; how they compare and what they become in a column.
 */
public final class Values {

  private Values() {}

  /** A whole number as a {@code Long} if it fits, else a {@code BigInteger}. */
  public static Object normal(BigInteger n) {
    return n.bitLength() < 64 ? (Object) n.longValue() : n;
  }

  /** A 64-bit pattern as the number it stands for. */
  public static Object ofBits(long bits, boolean unsigned) {
    return unsigned && bits < 0 ? new BigInteger(Long.toUnsignedString(bits)) : (Object) bits;
  }

  /** A whole number as a 64-bit pattern. */
  public static long bits(Object integer) {
    return ((Number) integer).longValue();
  }

  /** Compares two values that are not NULL; as numbers unless both are texts. */
  public static int compare(Object a, Object b) {
    if (a instanceof String x && b instanceof String y) {
      return x.compareTo(y);
    }
    if (a instanceof Long x && b instanceof Long y) {
      return Long.compare(x, y);
    }
    if (isInteger(a) && isInteger(b)) {
      return big(a).compareTo(big(b));
    }
    return Double.compare(toDouble(a), toDouble(b));
  }

  /** Whether a value counts as true in a condition; NULL does not. */
  public static boolean isTrue(Object value) {
    return value != null && toDouble(value) != 0;
  }

  /** Whether the value is a whole number. */
  public static boolean isInteger(Object value) {
    return value instanceof Long || value instanceof BigInteger;
  }

  /** A whole number without bounds. */
  public static BigInteger big(Object integer) {
    return integer instanceof BigInteger n ? n : BigInteger.valueOf((Long) integer);
  }

  /** A value as a number; a text counts as the number it begins with. */
  public static double toDouble(Object value) {
    if (value instanceof Number n) {
      return n.doubleValue();
    }
    String text = ((String) value).strip();
    int end = 0;
    while (end < text.length() && "+-.0123456789eE".indexOf(text.charAt(end)) >= 0) {
      end++;
    }
    for (; end > 0; end--) {
      try {
        return Double.parseDouble(text.substring(0, end));
      } catch (NumberFormatException e) {
        continue;
      }
    }
    return 0;
  }

  /** A value as the text that a client is sent. */
  public static String toText(Object value) {
    if (value instanceof Double d) {
      boolean whole = d == Math.rint(d) && Math.abs(d) < 1e15;
      return whole ? Long.toString(d.longValue()) : d.toString();
    }
    return value.toString();
  }

  /**
   * What {@code value} becomes in {@code column}.
   *
   * @param row the row's number in the statement, from 1, for the message
   * @throws SqlException if it does not fit
   */
  public static Object coerce(Column column, Object value, int row) {
    if (value == null) {
      if (!column.nullable()) {
        throw SqlError.NULL_NOT_ALLOWED.with("Column '%s' cannot be null", column.name());
      }
      return null;
    }
    ColumnType.Kind kind = column.type().kind();
    if (kind.isInteger()) {
      return coerceInteger(column, value, row);
    }
    return kind.isText() ? coerceText(column, value, row) : coerceDouble(column, value, row);
  }

  private static Object coerceInteger(Column column, Object value, int row) {
    BigInteger n;
    if (isInteger(value)) {
      n = big(value);
    } else {
      n = rounded(column, value, row);
    }
    ColumnType type = column.type();
    if (n.compareTo(type.min()) < 0 || n.compareTo(type.max()) > 0) {
      throw outOfRange(column, row);
    }
    return normal(n);
  }

  private static BigInteger rounded(Column column, Object value, int row) {
    try {
      BigDecimal exact =
          value instanceof Double d
              ? BigDecimal.valueOf(d)
              : new BigDecimal(((String) value).strip());
      if (exact.precision() - exact.scale() > 30) {
        throw outOfRange(column, row);
      }
      return exact.setScale(0, RoundingMode.HALF_UP).toBigInteger();
    } catch (NumberFormatException e) {
      throw wrongValue("integer", column, value, row);
    }
  }

  private static Object coerceDouble(Column column, Object value, int row) {
    double d;
    try {
      d =
          value instanceof String s
              ? Double.parseDouble(s.strip())
              : ((Number) value).doubleValue();
    } catch (NumberFormatException e) {
      throw wrongValue("double", column, value, row);
    }
    if (Double.isNaN(d) || Double.isInfinite(d)) {
      throw outOfRange(column, row);
    }
    return d;
  }

  private static Object coerceText(Column column, Object value, int row) {
    String text = toText(value);
    int length = column.type().length();
    if (length > 0 && text.codePointCount(0, text.length()) > length) {
      throw SqlError.TOO_LONG.with("Data too long for column '%s' at row %d", column.name(), row);
    }
    return text;
  }

  private static SqlException outOfRange(Column column, int row) {
    return SqlError.OUT_OF_RANGE.with(
        "Out of range value for column '%s' at row %d", column.name(), row);
  }

  private static SqlException wrongValue(String kind, Column column, Object value, int row) {
    return SqlError.WRONG_VALUE.with(
        "Incorrect %s value: '%s' for column '%s' at row %d", kind, value, column.name(), row);
  }
}
