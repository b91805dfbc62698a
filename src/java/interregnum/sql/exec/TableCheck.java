package interregnum.sql.exec;

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
import java.util.TreeMap;

/** Compares a table's public indexes with its rows, in one snapshot. */
final class TableCheck {
  private static final int PAGE = 2_000;

  private final StoreTxn txn;
  private final TableInfo table;

  TableCheck(StoreTxn txn, TableInfo table) {
    this.txn = txn;
    this.table = table;
  }

  /**
   * Looks for rows without an entry and entries without a row.
   *
   * @throws SqlException if there is one; it names the first
   */
  void run() throws InterruptedException {
    for (IndexInfo index : table.indexes()) {
      if (index.state().isPublic()) {
        check(index);
      }
    }
  }

  private void check(IndexInfo index) throws InterruptedException {
    TreeMap<String, String> expected = new TreeMap<>();
    String rows = Keys.rowPrefix(table.id());
    eachPage(
        rows,
        entry -> {
          String rowKey = Keys.keyOfRow(entry.key());
          Row row = RowJson.read(table, entry.value());
          expected.put(IndexEntry.storeKey(table, index, row, rowKey), rowKey);
        });
    eachPage(
        Keys.indexPrefix(table.id(), index.id()),
        entry -> {
          String rowKey = IndexEntry.rowKey(entry.value());
          if (!rowKey.equals(expected.remove(entry.key()))) {
            throw inconsistent(index, "entry " + entry.key() + " has no row");
          }
        });
    if (!expected.isEmpty()) {
      throw inconsistent(index, "row " + expected.firstEntry().getValue() + " has no entry");
    }
  }

  /** What to do with a stored key and value. */
  @FunctionalInterface
  private interface Visitor {
    void visit(StoreTxn.Entry entry);
  }

  private void eachPage(String prefix, Visitor visitor) throws InterruptedException {
    String from = prefix;
    List<StoreTxn.Entry> page;
    do {
      page = txn.scan(from, Keys.end(prefix), PAGE);
      page.forEach(visitor::visit);
      from = page.isEmpty() ? from : page.get(page.size() - 1).key() + "\0";
    } while (page.size() == PAGE);
  }

  private SqlException inconsistent(IndexInfo index, String what) {
    return SqlError.TABLE_INCONSISTENT.with(
        "Table '%s.%s' and index '%s' differ: %s",
        table.database(), table.name(), index.name(), what);
  }
}
