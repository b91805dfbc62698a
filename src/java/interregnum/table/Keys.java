package interregnum.table;

import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The layout of tables in the store. Keys are readable text whose order is the order of the values
 * they are made of:
 *
 * <pre>
 *   /interregnum/meta/table/DATABASE/NAME           TableInfo as JSON
 *   /interregnum/meta/next-id                       the last table id given out
 *   /interregnum/row/TABLE/KEY                      a row as JSON
 *   /interregnum/index/TABLE/INDEX/VALUES           a unique index's IndexEntry as JSON
 *   /interregnum/index/TABLE/INDEX/VALUES,KEY       another index's IndexEntry
 * </pre>
 *
 * <p>An integer is {@code p} and twenty digits, or {@code n} and the distance from the smallest
 * long if it is negative; a text is {@code s}, its characters with those up to {@code #} written as
 * {@code #xx}, and {@code !}; NULL is {@code 0}; a double is {@code d} and sixteen digits of its
 * bits, turned so that they sort. No value's form is a prefix of another's.
 */
public final class Keys {

  /** The last table id given out. */
  public static final String NEXT_ID = "/interregnum/meta/next-id";

  /** Prefix of the definitions of all tables. */
  public static final String TABLES = "/interregnum/meta/table/";

  private static final String ROWS = "/interregnum/row/";
  private static final String INDEXES = "/interregnum/index/";
  private static final char ESCAPE = '#';
  private static final char TEXT_END = '!';

  private Keys() {}

  /** Prefix of the definitions of a database's tables. */
  public static String tablePrefix(String database) {
    return TABLES + name(database) + "/";
  }

  /** Where a table's definition stands. */
  public static String table(String database, String table) {
    return tablePrefix(database) + name(table);
  }

  /** Prefix of a table's rows. */
  public static String rowPrefix(long tableId) {
    return ROWS + padded(tableId, 10) + "/";
  }

  /** Where the row with this encoded key stands. */
  public static String row(long tableId, String key) {
    return rowPrefix(tableId) + key;
  }

  /** The encoded key of the row that stands at {@code rowKey}. */
  public static String keyOfRow(String rowKey) {
    return rowKey.substring(ROWS.length() + 11);
  }

  /** The key right after every key with this prefix. */
  public static String end(String prefix) {
    int last = prefix.length() - 1;
    return prefix.substring(0, last) + (char) (prefix.charAt(last) + 1);
  }

  /** Prefix of the entries of all of a table's indexes. */
  public static String indexPrefix(long tableId) {
    return INDEXES + padded(tableId, 10) + "/";
  }

  /** Prefix of an index's entries. */
  public static String indexPrefix(long tableId, int indexId) {
    return indexPrefix(tableId) + padded(indexId, 4) + "/";
  }

  /**
   * Where a row's entry in an index stands. A unique index has one entry per combination of values,
   * except that NULL differs from NULL.
   */
  public static String indexEntry(
      long tableId, IndexInfo index, List<Object> values, String rowKey) {
    String entry = indexPrefix(tableId, index.id()) + encode(values);
    return isExclusive(index, values) ? entry : entry + "," + rowKey;
  }

  /** Whether at most one row may have these values in the index. */
  public static boolean isExclusive(IndexInfo index, List<Object> values) {
    return index.unique() && values.stream().noneMatch(Objects::isNull);
  }

  /** The sortable form of a combination of values. */
  public static String encode(List<Object> values) {
    StringBuilder out = new StringBuilder();
    for (Object value : values) {
      if (out.length() > 0) {
        out.append(',');
      }
      encode(value, out);
    }
    return out.toString();
  }

  private static void encode(Object value, StringBuilder out) {
    if (value == null) {
      out.append('0');
    } else if (value instanceof Long n) {
      out.append(n < 0 ? 'n' : 'p').append(padded(n < 0 ? n - Long.MIN_VALUE : n, 20));
    } else if (value instanceof BigInteger n) {
      out.append('p').append(String.format(Locale.ROOT, "%020d", n));
    } else if (value instanceof Double d) {
      long bits = Double.doubleToLongBits(d == 0 ? 0.0 : d);
      long sortable = bits < 0 ? ~bits : bits | Long.MIN_VALUE;
      out.append('d').append(String.format(Locale.ROOT, "%016x", sortable));
    } else {
      out.append('s');
      escape((String) value, out);
      out.append(TEXT_END);
    }
  }

  private static String name(String name) {
    StringBuilder out = new StringBuilder();
    escape(name.toLowerCase(Locale.ROOT), out);
    return out.toString().replace("/", "#2f");
  }

  private static void escape(String text, StringBuilder out) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ESCAPE) {
        out.append(ESCAPE).append(String.format(Locale.ROOT, "%02x", (int) c));
      } else {
        out.append(c);
      }
    }
  }

  private static String padded(long n, int width) {
    String digits = Long.toString(n);
    return "0".repeat(Math.max(0, width - digits.length())) + digits;
  }
}
