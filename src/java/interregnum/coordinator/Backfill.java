package interregnum.coordinator;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.runtime.Runtime;
import interregnum.store.CommitResult;
import interregnum.store.StoreTxn;
import interregnum.table.DdlStatement.AddIndex;
import interregnum.table.IndexEntry;
import interregnum.table.IndexInfo;
import interregnum.table.Keys;
import interregnum.table.Row;
import interregnum.table.RowJson;
import interregnum.table.TableInfo;
import interregnum.table.TableJson;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills an index that every node already maintains with the entries of the rows from before. Batches
 * of rows, each in one transaction that conflicts with a change of any of its rows, and that also
 * notes where the next batch begins, so that a successor goes on from there.
 */
final class Backfill {
  private static final Logger LOG = LoggerFactory.getLogger(Backfill.class);
  private static final int BATCH_MAX = 2_000;
  private static final Duration PAUSE = Duration.ofMillis(5);
  private static final String DONE = "done";

  private final Reign reign;
  private final DdlJob job;
  private final String jobRow;
  private final AddIndex statement;
  private int batch = BATCH_MAX;

  /**
   * @param jobRow the job's row, which must not change in the meantime
   */
  Backfill(Reign reign, DdlJob job, String jobRow) {
    this.reign = reign;
    this.job = job;
    this.jobRow = jobRow;
    this.statement = (AddIndex) job.statement();
  }

  /** How a backfill ended. */
  enum End {
    FILLED,
    /** The job's row or the table has changed, or the reign is over. */
    INTERRUPTED
  }

  /**
   * Fills the index.
   *
   * @throws SqlException if two rows have the same values and the index is unique
   */
  End run() throws InterruptedException {
    Runtime runtime = reign.node().runtime();
    long start = runtime.nanoTime();
    long rows = 0;
    while (true) {
      StoreTxn txn = reign.node().store().begin();
      String from = txn.get(JobKeys.reorg(job.id())).orElse("");
      if (from.equals(DONE)) {
        long millis = (runtime.nanoTime() - start) / 1_000_000;
        LOG.info("ddl-backfilled job={} rows={} millis={}", job.id(), rows, millis);
        return End.FILLED;
      }
      if (!txn.get(JobKeys.job(job.id())).equals(Optional.of(jobRow))) {
        return End.INTERRUPTED;
      }
      Optional<TableInfo> table =
          txn.get(Keys.table(statement.database(), statement.name())).map(TableJson::read);
      if (table.flatMap(t -> t.index(statement.index())).isEmpty()) {
        return End.INTERRUPTED;
      }
      int added = fill(txn, from, table.get());
      CommitResult result = txn.commit();
      if (result instanceof CommitResult.Committed) {
        rows += added;
        batch = Math.min(BATCH_MAX, batch * 2);
      } else if (result instanceof CommitResult.Fenced) {
        reign.depose();
        return End.INTERRUPTED;
      } else {
        batch = Math.max(1, batch / 4);
        runtime.sleep(PAUSE);
      }
    }
  }

  /** Adds the entries of one batch to the transaction; how many rows that were. */
  private int fill(StoreTxn txn, String from, TableInfo table) throws InterruptedException {
    IndexInfo index = table.index(statement.index()).orElseThrow();
    String prefix = Keys.rowPrefix(table.id());
    String start = from.isEmpty() ? prefix : from;
    List<StoreTxn.Entry> rows = txn.scan(start, Keys.end(prefix), batch);
    TreeMap<String, String> owners = new TreeMap<>();
    for (StoreTxn.Entry entry : rows) {
      String rowKey = Keys.keyOfRow(entry.key());
      Row row = RowJson.read(table, entry.value());
      String entryKey = IndexEntry.storeKey(table, index, row, rowKey);
      String value = IndexEntry.write(table, index, row, rowKey);
      boolean exclusive = Keys.isExclusive(index, row.values(table, index.columns()));
      if (exclusive && owners.put(entryKey, rowKey) != null) {
        throw duplicate(table, index, row);
      }
      txn.lock(entry.key());
      addEntry(txn, new Entry(entryKey, value, rowKey), exclusive, table, index, row);
    }
    boolean last = rows.size() < batch;
    txn.put(JobKeys.reorg(job.id()), last ? DONE : rows.get(rows.size() - 1).key() + "\0");
    txn.lock(JobKeys.job(job.id()));
    reign.fence(txn);
    return rows.size();
  }

  private record Entry(String key, String value, String rowKey) {}

  /**
   * A full batch of a unique index claims that none of its entries exist, which is cheap and nearly
   * always true; a smaller one, tried after a conflict, looks.
   */
  private void addEntry(
      StoreTxn txn, Entry entry, boolean exclusive, TableInfo table, IndexInfo index, Row row)
      throws InterruptedException {
    if (!exclusive) {
      txn.put(entry.key, entry.value);
    } else if (batch == BATCH_MAX) {
      txn.putNew(entry.key, entry.value);
    } else {
      Optional<String> stands = txn.get(entry.key);
      if (stands.isPresent() && !IndexEntry.rowKey(stands.get()).equals(entry.rowKey)) {
        throw duplicate(table, index, row);
      }
      txn.put(entry.key, entry.value);
    }
  }

  private static SqlException duplicate(TableInfo table, IndexInfo index, Row row) {
    StringBuilder values = new StringBuilder();
    for (Object value : row.values(table, index.columns())) {
      values.append(values.length() == 0 ? "" : "-").append(value);
    }
    return SqlError.DUP_KEY.with(
        "Duplicate entry '%s' for key '%s.%s'", values, table.name(), index.name());
  }
}
