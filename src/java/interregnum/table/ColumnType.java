package interregnum.table;

import java.math.BigInteger;
import java.util.Locale;

/**
 * A column's type.
 *
 * @param kind the family and width
 * @param unsigned whether an integer column has no negative half
 * @param length characters that a text column holds; 0 where the kind has no length
 */
public record ColumnType(Kind kind, boolean unsigned, int length) {

  /** The types a column can have. Integers have their width in bytes. */
  public enum Kind {
    TINYINT(1),
    SMALLINT(2),
    MEDIUMINT(3),
    INT(4),
    BIGINT(8),
    DOUBLE(0),
    CHAR(0),
    VARCHAR(0),
    TEXT(0);

    private final int bytes;

    Kind(int bytes) {
      this.bytes = bytes;
    }

    /** Whether values are whole numbers. */
    public boolean isInteger() {
      return bytes > 0;
    }

    /** Whether values are text. */
    public boolean isText() {
      return this == CHAR || this == VARCHAR || this == TEXT;
    }
  }

  /** The smallest integer of this type. */
  public BigInteger min() {
    return unsigned ? BigInteger.ZERO : BigInteger.TWO.pow(bits() - 1).negate();
  }

  /** The largest integer of this type. */
  public BigInteger max() {
    return BigInteger.TWO.pow(unsigned ? bits() : bits() - 1).subtract(BigInteger.ONE);
  }

  private int bits() {
    return 8 * kind.bytes;
  }

  /** The type as {@code SHOW CREATE TABLE} prints it. */
  public String sql() {
    String name = kind.name().toLowerCase(Locale.ROOT);
    String size = length > 0 && kind != Kind.TEXT ? "(" + length + ")" : "";
    return name + size + (unsigned ? " unsigned" : "");
  }
}
