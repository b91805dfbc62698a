package interregnum.sql.exec;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.sql.Values;
import interregnum.table.IndexEntry;
import interregnum.table.IndexInfo;
import interregnum.table.Keys;
import interregnum.table.Row;
import interregnum.table.RowJson;
import interregnum.table.TableInfo;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Writes the rows of one table, and keeps its indexes true as far as their states ask for that: an
 * index that only takes deletes loses entries and gains none.
 */
final class RowWriter {

  private final TableInfo table;
  private final StatementWrites writes;
  private final Supplier<String> hiddenKeys;

  /** A writer; {@code hiddenKeys} makes keys for rows of a table without primary key. */
  RowWriter(TableInfo table, StatementWrites writes, Supplier<String> hiddenKeys) {
    this.table = table;
    this.writes = writes;
    this.hiddenKeys = hiddenKeys;
  }

  /** The encoded key that {@code row} has or is to have; a new one without primary key. */
  String keyOf(Row row) {
    return table.primaryKey().isEmpty()
        ? hiddenKeys.get()
        : Keys.encode(row.values(table, table.primaryKey()));
  }

  /** The row that stands in the way of writing {@code row} under {@code key}. */
  Optional<StoredRow> obstacle(String key, Row row) throws InterruptedException {
    Optional<String> same = writes.get(Keys.row(table.id(), key));
    if (same.isPresent()) {
      return Optional.of(new StoredRow(key, RowJson.read(table, same.get())));
    }
    for (IndexInfo index : table.indexes()) {
      Optional<String> holder = holder(index, row);
      if (holder.isPresent()) {
        String json = writes.get(Keys.row(table.id(), holder.get())).orElse("{}");
        return Optional.of(new StoredRow(holder.get(), RowJson.read(table, json)));
      }
    }
    return Optional.empty();
  }

  /** Adds a row; a duplicate of a unique value is an error. */
  void insert(String key, Row row) throws InterruptedException {
    String storeKey = Keys.row(table.id(), key);
    if (writes.get(storeKey).isPresent()) {
      throw duplicate(row.values(table, table.primaryKey()), "PRIMARY");
    }
    writes.put(storeKey, RowJson.write(table, row));
    for (IndexInfo index : table.indexes()) {
      addEntry(index, key, row);
    }
  }

  /** Removes a row. */
  void delete(StoredRow old) {
    writes.delete(Keys.row(table.id(), old.key()));
    for (IndexInfo index : table.indexes()) {
      removeEntry(index, old);
    }
  }

  /** Changes a row, perhaps its key. */
  void update(StoredRow old, Row row) throws InterruptedException {
    String key = table.primaryKey().isEmpty() ? old.key() : keyOf(row);
    if (!key.equals(old.key())) {
      delete(old);
      insert(key, row);
      return;
    }
    writes.put(Keys.row(table.id(), key), RowJson.write(table, row));
    for (IndexInfo index : table.indexes()) {
      String before = IndexEntry.storeKey(table, index, old.row(), key);
      boolean moves = !before.equals(IndexEntry.storeKey(table, index, row, key));
      if (moves || !index.state().takesWrites()) {
        removeEntry(index, old);
      }
      if (moves) {
        addEntry(index, key, row);
      } else if (index.state().takesWrites()) {
        writes.put(before, IndexEntry.write(table, index, row, key));
      }
    }
  }

  private void addEntry(IndexInfo index, String key, Row row) throws InterruptedException {
    if (!index.state().takesWrites()) {
      return;
    }
    if (holder(index, row).isPresent()) {
      throw duplicate(row.values(table, index.columns()), index.name());
    }
    writes.put(
        IndexEntry.storeKey(table, index, row, key), IndexEntry.write(table, index, row, key));
  }

  private void removeEntry(IndexInfo index, StoredRow old) {
    if (index.state().takesDeletes()) {
      writes.delete(IndexEntry.storeKey(table, index, old.row(), old.key()));
    }
  }

  /** The key of the row that has the unique values of {@code row} in {@code index}. */
  private Optional<String> holder(IndexInfo index, Row row) throws InterruptedException {
    List<Object> values = row.values(table, index.columns());
    if (!index.state().takesWrites() || !Keys.isExclusive(index, values)) {
      return Optional.empty();
    }
    return writes
        .get(Keys.indexEntry(table.id(), index, values, ""))
        .map(IndexEntry::rowKey);
  }

  private SqlException duplicate(List<Object> values, String index) {
    String entry =
        values.stream()
            .map(v -> v == null ? "NULL" : Values.toText(v))
            .collect(Collectors.joining("-"));
    return SqlError.DUP_KEY.with(
        "Duplicate entry '%s' for key '%s.%s'", entry, table.name(), index);
  }
}
