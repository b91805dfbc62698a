package interregnum.table;

/**
 * A column of a table.
 *
 * @param id never reused within the table; rows store values under it
 * @param name as declared; compared without regard to case
 * @param defaultValue what a row holds that was given no value ({@code Long}, {@code BigInteger},
 *     {@code Double} or {@code String}), or null for NULL or none
 * @param autoIncrement whether a missing value is drawn from the id service
 */
public record Column(
    int id,
    String name,
    ColumnType type,
    boolean nullable,
    Object defaultValue,
    boolean autoIncrement,
    SchemaState state) {

  /** Whether {@code other} names this column. */
  public boolean isNamed(String other) {
    return name.equalsIgnoreCase(other);
  }

  /**
   * What a row holds that was written by someone who did not know the column: its default; without
   * one, zero or the empty text, if NULL is not allowed.
   */
  public Object valueIfAbsent() {
    if (nullable || defaultValue != null) {
      return defaultValue;
    } else if (type.kind().isText()) {
      return "";
    } else if (type.kind().isInteger()) {
      return 0L;
    }
    return 0.0;
  }

  /** The same column in another state. */
  public Column in(SchemaState newState) {
    return new Column(id, name, type, nullable, defaultValue, autoIncrement, newState);
  }
}
