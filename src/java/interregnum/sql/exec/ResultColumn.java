package interregnum.sql.exec;

import interregnum.table.ColumnType;

/**
 * A column of a result.
 *
 * @param table the table it comes from, empty if from none
 */
public record ResultColumn(
    String name,
    String database,
    String table,
    ColumnType type,
    boolean notNull,
    boolean primaryKey,
    boolean autoIncrement) {

  /** A text column from no table. */
  public static ResultColumn text(String name) {
    return of(name, new ColumnType(ColumnType.Kind.VARCHAR, false, 0));
  }

  /** A whole-number column from no table. */
  public static ResultColumn integer(String name) {
    return of(name, new ColumnType(ColumnType.Kind.BIGINT, false, 0));
  }

  /** A column of this type from no table. */
  public static ResultColumn of(String name, ColumnType type) {
    return new ResultColumn(name, "", "", type, false, false, false);
  }
}
