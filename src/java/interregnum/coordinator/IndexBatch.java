package interregnum.coordinator;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.store.StoreTxn;
import interregnum.table.IndexEntry;
import interregnum.table.IndexInfo;
import interregnum.table.Keys;
import interregnum.table.Row;
import interregnum.table.RowJson;
import interregnum.table.TableInfo;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Adds the index entries of a batch of rows to the transaction that read them. */
final class IndexBatch {
  private final StoreTxn txn;
  private final TableInfo table;
  private final IndexInfo index;
  private final Existing existing;

  /** What is assumed of entries that may stand already. */
  enum Existing {
    /** There are none: the commit conflicts if there are. Cheap, and nearly always true. */
    NONE,
    LOOKED_UP
  }

  IndexBatch(StoreTxn txn, TableInfo table, IndexInfo index, Existing existing) {
    this.txn = txn;
    this.table = table;
    this.index = index;
    this.existing = existing;
  }

  /**
   * Adds the rows' entries, and makes the commit conflict if a row has changed.
   *
   * @throws SqlException if two rows have the same values and the index is unique
   */
  void add(List<StoreTxn.Entry> rows) throws InterruptedException {
    Map<String, String> exclusive = new TreeMap<>();
    for (StoreTxn.Entry entry : rows) {
      String rowKey = Keys.keyOfRow(entry.key());
      Row row = RowJson.read(table, entry.value());
      String entryKey = IndexEntry.storeKey(table, index, row, rowKey);
      String value = IndexEntry.write(table, index, row, rowKey);
      txn.lock(entry.key());
      if (!Keys.isExclusive(index, row.values(table, index.columns()))) {
        txn.putGuarded(entryKey, value);
      } else if (exclusive.put(entryKey, rowKey) != null || isTaken(entryKey, rowKey)) {
        throw duplicate(row);
      } else if (existing == Existing.NONE) {
        txn.putNew(entryKey, value);
      } else {
        txn.put(entryKey, value);
      }
    }
  }

  private boolean isTaken(String entryKey, String rowKey) throws InterruptedException {
    if (existing == Existing.NONE) {
      return false;
    }
    Optional<String> stands = txn.get(entryKey);
    return stands.isPresent() && !IndexEntry.rowKey(stands.get()).equals(rowKey);
  }

  private SqlException duplicate(Row row) {
    StringBuilder values = new StringBuilder();
    for (Object value : row.values(table, index.columns())) {
      values.append(values.length() == 0 ? "" : "-").append(value);
    }
    return SqlError.DUP_KEY.with(
        "Duplicate entry '%s' for key '%s.%s'", values, table.name(), index.name());
  }
}
