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

  /** The same column in another state. */
  public Column in(SchemaState newState) {
    return new Column(id, name, type, nullable, defaultValue, autoIncrement, newState);
  }
}
