package interregnum.coordinator;

import interregnum.error.SqlException;
import interregnum.runtime.Mailbox;
import interregnum.runtime.Runtime;
import interregnum.runtime.Task;
import interregnum.store.CommitResult;
import interregnum.store.StoreTxn;
import interregnum.store.StoreUnavailableException;
import interregnum.table.DdlStatement.AddIndex;
import interregnum.table.IndexInfo;
import interregnum.table.Keys;
import interregnum.table.TableInfo;
import interregnum.table.TableJson;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills an index that every node already maintains with the entries of the rows from before.
 * Batches of rows, each in one transaction that conflicts with a change of any of its rows; while
 * one batch commits, a task of its own prepares the next. Now and then it notes how far it has
 * come, so that a successor goes on near there; doing a batch again changes nothing.
 */
final class Backfill {
  private static final Logger LOG = LoggerFactory.getLogger(Backfill.class);
  private static final int BATCH = 2_000;
  private static final int BATCH_AFTER_CONFLICT = 250;
  private static final int BATCHES_PER_NOTE = 10;
  private static final Duration PAUSE = Duration.ofMillis(5);
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final String DONE = "done";

  private final Reign reign;
  private final Runtime runtime;
  private final DdlJob job;
  private final String jobRow;
  private final AddIndex statement;
  private final Mailbox<Prepared> prepared;

  /**
   * @param jobRow the job's row, which must not change in the meantime
   */
  Backfill(Reign reign, DdlJob job, String jobRow) {
    this.reign = reign;
    this.runtime = reign.node().runtime();
    this.job = job;
    this.jobRow = jobRow;
    this.statement = (AddIndex) job.statement();
    this.prepared = runtime.mailbox("backfill-" + job.id(), 1);
  }

  /** How a backfill ended. */
  enum End {
    FILLED,
    /** The job's row or the table has changed, or the reign is over. */
    INTERRUPTED
  }

  private sealed interface Prepared {}

  /**
   * Rows in {@code [from, to)} of the store, and a transaction that holds their entries.
   *
   * @param to empty for the last batch
   */
  private record Batch(StoreTxn txn, String from, Optional<String> to, int rows)
      implements Prepared {}

  /** The job's row or the table has changed. */
  private record Changed() implements Prepared {}

  /** The next batch could not be prepared. */
  private record Broken(RuntimeException cause) implements Prepared {}

  /**
   * Fills the index.
   *
   * @throws SqlException if two rows have the same values and the index is unique
   * @throws StoreUnavailableException if the store did not answer; to be run again
   */
  End run() throws InterruptedException {
    Optional<String> noted = reign.node().store().begin().get(JobKeys.reorg(job.id()));
    if (noted.equals(Optional.of(DONE))) {
      return End.FILLED;
    }
    Task reader =
        runtime.spawn("backfill-reader-" + job.id(), () -> prepareAll(noted.orElse("")));
    try {
      return commitAll();
    } finally {
      reader.cancel();
    }
  }

  private void prepareAll(String noted) throws InterruptedException {
    String from = noted;
    Prepared next;
    do {
      try {
        next = prepare(from, "", BATCH, IndexBatch.Existing.NONE);
      } catch (SqlException | StoreUnavailableException e) {
        next = new Broken(e);
      }
      while (!prepared.offer(next, TICK)) {
        LOG.debug("backfill-reader-waits job={}", job.id());
      }
      from = next instanceof Batch batch ? batch.to.orElse("") : "";
    } while (!from.isEmpty());
  }

  /**
   * Prepares the batch that begins at {@code from} and ends before {@code end}, if these are set.
   */
  private Prepared prepare(String from, String end, int size, IndexBatch.Existing existing)
      throws InterruptedException {
    StoreTxn txn = reign.node().store().begin();
    Optional<TableInfo> table =
        txn.get(Keys.table(statement.database(), statement.name())).map(TableJson::read);
    Optional<IndexInfo> index = table.flatMap(t -> t.index(statement.index()));
    boolean sameJob = txn.get(JobKeys.job(job.id())).equals(Optional.of(jobRow));
    if (index.isEmpty() || !sameJob) {
      return new Changed();
    }
    String prefix = Keys.rowPrefix(table.get().id());
    String start = from.isEmpty() ? prefix : from;
    List<StoreTxn.Entry> rows = txn.scan(start, end.isEmpty() ? Keys.end(prefix) : end, size);
    new IndexBatch(txn, table.get(), index.get(), existing).add(rows);
    txn.lock(JobKeys.job(job.id()));
    reign.fence(txn);
    Optional<String> to =
        rows.size() < size
            ? Optional.empty()
            : Optional.of(rows.get(rows.size() - 1).key() + "\0");
    return new Batch(txn, start, to, rows.size());
  }

  private End commitAll() throws InterruptedException {
    long start = runtime.nanoTime();
    long rows = 0;
    for (int batches = 1; ; batches++) {
      Optional<Prepared> next = prepared.poll(TICK);
      if (next.isEmpty()) {
        batches--;
      } else if (next.get() instanceof Broken broken) {
        throw broken.cause;
      } else if (!(next.get() instanceof Batch batch) || !commit(batch)) {
        return End.INTERRUPTED;
      } else {
        rows += batch.rows;
        if (batch.to.isEmpty() || batches % BATCHES_PER_NOTE == 0) {
          note(batch.to.orElse(DONE));
        }
        if (batch.to.isEmpty()) {
          long millis = (runtime.nanoTime() - start) / 1_000_000;
          LOG.info("ddl-backfilled job={} rows={} millis={}", job.id(), rows, millis);
          return End.FILLED;
        }
      }
    }
  }

  /** False if the backfill must end. */
  private boolean commit(Batch batch) throws InterruptedException {
    CommitResult result = batch.txn.commit();
    while (result instanceof CommitResult.Failed) {
      runtime.sleep(PAUSE);
      Prepared again =
          prepare(batch.from, batch.to.orElse(""), BATCH, IndexBatch.Existing.NONE);
      if (!(again instanceof Batch same)) {
        return false;
      }
      result = same.txn.commit();
    }
    if (result instanceof CommitResult.Committed) {
      return true;
    } else if (result instanceof CommitResult.Fenced) {
      reign.depose();
      return false;
    }
    return commitInParts(batch.from, batch.to.orElse(""));
  }

  /** Does the rows of a batch again, fewer at a time, and looking at what stands. */
  private boolean commitInParts(String from, String end) throws InterruptedException {
    Optional<String> next = Optional.of(from);
    while (next.isPresent()) {
      Prepared part =
          prepare(next.get(), end, BATCH_AFTER_CONFLICT, IndexBatch.Existing.LOOKED_UP);
      if (!(part instanceof Batch batch)) {
        return false;
      }
      CommitResult result = batch.txn.commit();
      if (result instanceof CommitResult.Committed) {
        next = batch.to;
      } else if (result instanceof CommitResult.Fenced) {
        reign.depose();
        return false;
      } else {
        runtime.sleep(PAUSE);
      }
    }
    return true;
  }

  /** Notes that all rows before {@code key} are done. A note that is lost costs work, no more. */
  private void note(String key) throws InterruptedException {
    StoreTxn txn = reign.node().store().begin();
    txn.put(JobKeys.reorg(job.id()), key);
    reign.fence(txn);
    if (txn.commit() instanceof CommitResult.Fenced) {
      reign.depose();
    }
  }
}
