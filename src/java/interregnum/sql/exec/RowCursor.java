package interregnum.sql.exec;

import interregnum.error.SqlError;
import interregnum.store.StoreTxn;
import interregnum.table.IndexEntry;
import interregnum.table.IndexInfo;
import interregnum.table.Keys;
import interregnum.table.RowJson;
import interregnum.table.TableInfo;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** Reads the rows of an access path one after another, in pages. Used by one task. */
final class RowCursor {

  private static final int PAGE = 1000;

  private final StoreTxn txn;
  private final TableInfo table;
  private final Optional<IndexInfo> index;
  private final boolean covering;
  private final Iterator<String> points;
  private String from;
  private final String to;
  private Iterator<StoreTxn.Entry> page = List.<StoreTxn.Entry>of().iterator();
  private boolean lastPage;

  /**
   * Opens the path.
   *
   * @param covering whether a path through an index need not read the rows themselves
   */
  RowCursor(StoreTxn txn, TableInfo table, AccessPath path, boolean covering) {
    this.txn = txn;
    this.table = table;
    this.covering = covering;
    if (path instanceof AccessPath.Points p) {
      index = Optional.empty();
      points = p.keys().iterator();
      from = "";
      to = "";
    } else if (path instanceof AccessPath.Range r) {
      index = Optional.empty();
      points = null;
      from = r.from();
      to = r.to();
    } else {
      AccessPath.IndexRange r = (AccessPath.IndexRange) path;
      index = Optional.of(r.index());
      points = null;
      from = r.from();
      to = r.to();
    }
  }

  /** The next row, or empty at the end. */
  Optional<StoredRow> next() throws InterruptedException {
    if (points != null) {
      return nextPoint();
    }
    if (!page.hasNext() && !lastPage) {
      readPage();
    }
    if (!page.hasNext()) {
      return Optional.empty();
    }
    StoreTxn.Entry entry = page.next();
    if (index.isPresent()) {
      return Optional.of(rowOfEntry(index.get(), entry));
    }
    String key = Keys.keyOfRow(entry.key());
    return Optional.of(new StoredRow(key, RowJson.read(table, entry.value())));
  }

  private void readPage() throws InterruptedException {
    if (from.compareTo(to) >= 0) {
      lastPage = true;
      return;
    }
    List<StoreTxn.Entry> entries = txn.scan(from, to, PAGE);
    lastPage = entries.size() < PAGE;
    if (!lastPage) {
      from = entries.get(PAGE - 1).key() + "!";
    }
    page = entries.iterator();
  }

  private Optional<StoredRow> nextPoint() throws InterruptedException {
    while (points.hasNext()) {
      String key = points.next();
      Optional<String> json = txn.get(Keys.row(table.id(), key));
      if (json.isPresent()) {
        return Optional.of(new StoredRow(key, RowJson.read(table, json.get())));
      }
    }
    return Optional.empty();
  }

  private StoredRow rowOfEntry(IndexInfo through, StoreTxn.Entry entry)
      throws InterruptedException {
    String key = IndexEntry.rowKey(entry.value());
    if (covering) {
      return new StoredRow(key, IndexEntry.read(table, through, entry.value()));
    }
    String json =
        txn.get(Keys.row(table.id(), key))
            .orElseThrow(
                () ->
                    SqlError.TABLE_INCONSISTENT.with(
                        "Index '%s' of table '%s' has an entry for a row that is not there: %s",
                        through.name(), table.name(), entry.key()));
    return new StoredRow(key, RowJson.read(table, json));
  }
}
