package interregnum.table;

import java.util.List;
import java.util.Optional;

/**
 * A table's definition. One incarnation of a table has one id: dropping and creating, or
 * truncating, gives a new one.
 *
 * @param id 0 until the catalogue has assigned one
 * @param primaryKey names of the primary key's columns; empty if the table has none
 * @param autoIdCache the declared {@code AUTO_ID_CACHE}, 0 if none was
 * @param autoIncrementStart the declared first automatic id, 0 if none was
 * @param maxColumnId the largest column id ever used
 * @param maxIndexId the largest index id ever used
 * @param state public, or how far it is from being dropped; statements see it while it is public
 */
public record TableInfo(
    long id,
    String database,
    String name,
    List<Column> columns,
    List<String> primaryKey,
    List<IndexInfo> indexes,
    long autoIdCache,
    long autoIncrementStart,
    int maxColumnId,
    int maxIndexId,
    SchemaState state) {

  public TableInfo {
    columns = List.copyOf(columns);
    primaryKey = List.copyOf(primaryKey);
    indexes = List.copyOf(indexes);
  }

  /** The column of this name that statements may use. */
  public Optional<Column> column(String columnName) {
    return columns.stream()
        .filter(c -> c.state().isPublic() && c.isNamed(columnName))
        .findFirst();
  }

  /** The columns that statements may use, in order. */
  public List<Column> publicColumns() {
    return columns.stream().filter(c -> c.state().isPublic()).toList();
  }

  /** The index of this name, in whatever state. */
  public Optional<IndexInfo> index(String indexName) {
    return indexes.stream().filter(i -> i.isNamed(indexName)).findFirst();
  }

  /** The column whose missing values come from the id service. */
  public Optional<Column> autoColumn() {
    return columns.stream().filter(Column::autoIncrement).findFirst();
  }

  /** Whether the primary key is exactly this column. */
  public boolean isPrimaryKey(Column column) {
    return primaryKey.size() == 1 && column.isNamed(primaryKey.get(0));
  }

  /** The same definition under another id. */
  public TableInfo withId(long newId) {
    return new TableInfo(
        newId, database, name, columns, primaryKey, indexes, autoIdCache, autoIncrementStart,
        maxColumnId, maxIndexId, state);
  }

  /** The same table under another name. */
  public TableInfo withName(String newDatabase, String newName) {
    return new TableInfo(
        id, newDatabase, newName, columns, primaryKey, indexes, autoIdCache, autoIncrementStart,
        maxColumnId, maxIndexId, state);
  }

  /** The same table with other columns; {@code newMaxColumnId} is the largest id ever used. */
  public TableInfo withColumns(List<Column> newColumns, int newMaxColumnId) {
    return new TableInfo(
        id, database, name, newColumns, primaryKey, indexes, autoIdCache, autoIncrementStart,
        newMaxColumnId, maxIndexId, state);
  }

  /** The same table with other indexes; {@code newMaxIndexId} is the largest id ever used. */
  public TableInfo withIndexes(List<IndexInfo> newIndexes, int newMaxIndexId) {
    return new TableInfo(
        id, database, name, columns, primaryKey, newIndexes, autoIdCache, autoIncrementStart,
        maxColumnId, newMaxIndexId, state);
  }

  /** The same table in another state. */
  public TableInfo in(SchemaState newState) {
    return new TableInfo(
        id, database, name, columns, primaryKey, indexes, autoIdCache, autoIncrementStart,
        maxColumnId, maxIndexId, newState);
  }
}
