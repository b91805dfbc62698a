package interregnum.coordinator;

import interregnum.error.SqlException;
import interregnum.failpoint.FailpointException;
import interregnum.runtime.Mailbox;
import interregnum.runtime.Runtime;
import interregnum.runtime.Task;
import interregnum.runtime.TaskBody;
import interregnum.store.CommitResult;
import interregnum.store.StoreTxn;
import interregnum.store.StoreUnavailableException;
import interregnum.table.DdlStatement.AddIndex;
import interregnum.table.IndexInfo;
import interregnum.table.Keys;
import interregnum.table.TableInfo;
import interregnum.table.TableJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills an index that every node already maintains with the entries of the rows from before.
 *
 * <p>One task reads the rows, in large pages, and a few fill: each batch of a page is one
 * transaction, which conflicts with a change of any of its rows and of the job. Several are on
 * their way at once, so that the store need not wait for this node. Now and then the task that runs
 * it all notes up to where nothing is missing, so that a successor goes on there; doing a batch
 * again changes nothing.
 */
final class Backfill {
  private static final Logger LOG = LoggerFactory.getLogger(Backfill.class);
  private static final int PAGE = 16_000;
  private static final int BATCH = 1_000;
  private static final int FILLERS = 3;
  private static final int PART = 250;
  private static final int PART_MIN = 8;
  private static final int ROWS_PER_NOTE = 20_000;
  private static final Duration PAUSE = Duration.ofMillis(5);
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final Duration JOIN_LIMIT = Duration.ofSeconds(30);
  private static final String DONE = "done";

  private final Reign reign;
  private final Runtime runtime;
  private final DdlJob job;
  private final String jobRow;
  private final AddIndex statement;
  private final Mailbox<Batch> batches;
  private final Mailbox<News> news;

  /**
   * @param jobRow the job's row, which must not change in the meantime
   */
  Backfill(Reign reign, DdlJob job, String jobRow) {
    this.reign = reign;
    this.runtime = reign.node().runtime();
    this.job = job;
    this.jobRow = jobRow;
    this.statement = (AddIndex) job.statement();
    this.batches = runtime.mailbox("backfill-" + job.id(), 1);
    this.news = runtime.mailbox("backfill-news-" + job.id(), FILLERS + 1);
  }

  /** How a backfill ended. */
  enum End {
    FILLED,
    /** The job's row or the table has changed, or the reign is over. */
    INTERRUPTED
  }

  /**
   * Rows as a transaction has read them.
   *
   * @param number counts the batches from 0
   * @param to where the next batch begins, empty if this is the last
   */
  private record Batch(
      long number, Reading reading, List<StoreTxn.Entry> rows, String from, Optional<String> to) {}

  /** A transaction, and the index as it stands in it. */
  private record Reading(StoreTxn txn, TableInfo table, IndexInfo index) {

    /** For a part of what the transaction has read. */
    Reading branch() {
      return new Reading(txn.branch(), table, index);
    }
  }

  /** What the tasks tell the one that runs them. */
  private sealed interface News {

    /** All rows of a batch have their entries. */
    record Filled(long number, Optional<String> to, int rows) implements News {}

    /** The job's row or the table has changed, or the reign is over. */
    record Interrupted() implements News {}

    /** A task cannot go on. */
    record Broken(RuntimeException cause) implements News {}
  }

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
    List<Task> tasks = new ArrayList<>();
    tasks.add(spawn("reader", () -> readAll(noted.orElse(""))));
    for (int i = 0; i < FILLERS; i++) {
      tasks.add(spawn("filler-" + i, this::fillBatches));
    }
    try {
      return follow();
    } finally {
      tasks.forEach(Task::cancel);
      for (Task task : tasks) {
        task.join(JOIN_LIMIT);
      }
    }
  }

  /** A task whose failure ends the backfill, not the node. */
  private Task spawn(String name, TaskBody body) {
    return runtime.spawn(
        "backfill-" + name + "-" + job.id(),
        () -> {
          try {
            body.run();
          } catch (SqlException | StoreUnavailableException | FailpointException e) {
            tell(new News.Broken(e));
          }
        });
  }

  private void tell(News message) throws InterruptedException {
    boolean told = false;
    while (!told) {
      told = news.offer(message, TICK);
    }
  }

  /** Waits for the batches, and notes how far nothing is missing. */
  private End follow() throws InterruptedException {
    long start = runtime.nanoTime();
    TreeMap<Long, News.Filled> early = new TreeMap<>();
    long next = 0;
    long rows = 0;
    long noted = 0;
    while (true) {
      Optional<News> message = news.poll(TICK);
      if (message.isPresent() && message.get() instanceof News.Broken broken) {
        throw broken.cause;
      } else if (message.isPresent() && message.get() instanceof News.Interrupted) {
        return End.INTERRUPTED;
      } else if (message.isPresent() && message.get() instanceof News.Filled filled) {
        early.put(filled.number, filled);
      }
      while (early.containsKey(next)) {
        News.Filled filled = early.remove(next++);
        rows += filled.rows;
        if (filled.to.isEmpty()) {
          note(DONE);
          long millis = (runtime.nanoTime() - start) / 1_000_000;
          LOG.info("ddl-backfilled job={} rows={} millis={}", job.id(), rows, millis);
          return End.FILLED;
        } else if (rows - noted >= ROWS_PER_NOTE) {
          noted = rows;
          note(filled.to.get());
        }
      }
    }
  }

  private void readAll(String noted) throws InterruptedException {
    String from = noted;
    boolean more = true;
    long number = 0;
    while (more) {
      Optional<Reading> reading = begin();
      if (reading.isEmpty()) {
        tell(new News.Interrupted());
        return;
      }
      String prefix = Keys.rowPrefix(reading.get().table.id());
      String start = from.isEmpty() ? prefix : from;
      List<StoreTxn.Entry> page = reading.get().txn.scan(start, Keys.end(prefix), PAGE);
      Optional<String> end = after(page, PAGE);
      number = handOut(new Batch(number, reading.get(), page, start, end));
      more = end.isPresent();
      from = end.orElse("");
    }
  }

  /** Splits a page into batches, numbered from the page's number; the number after the last. */
  private long handOut(Batch page) throws InterruptedException {
    long number = page.number;
    String from = page.from;
    int first = 0;
    do {
      int last = Math.min(first + BATCH, page.rows.size());
      List<StoreTxn.Entry> rows = page.rows.subList(first, last);
      boolean ends = last == page.rows.size();
      Optional<String> to = ends ? page.to : after(rows, 0);
      Batch batch = new Batch(number++, page.reading.branch(), rows, from, to);
      boolean taken = false;
      while (!taken) {
        taken = batches.offer(batch, TICK);
      }
      from = to.orElse("");
      first = last;
    } while (first < page.rows.size());
    return number;
  }

  /** Where to go on after these rows, unless there were fewer than asked for. */
  private static Optional<String> after(List<StoreTxn.Entry> rows, int limit) {
    return rows.size() < limit
        ? Optional.empty()
        : Optional.of(rows.get(rows.size() - 1).key() + "\0");
  }

  /** A transaction for a batch, or empty if there is nothing more to do for this job. */
  private Optional<Reading> begin() throws InterruptedException {
    StoreTxn txn = reign.node().store().begin();
    Optional<TableInfo> table =
        txn.get(Keys.table(statement.database(), statement.name())).map(TableJson::read);
    Optional<IndexInfo> index = table.flatMap(t -> t.index(statement.index()));
    boolean sameJob = txn.get(JobKeys.job(job.id())).equals(Optional.of(jobRow));
    return index.isEmpty() || !sameJob
        ? Optional.empty()
        : Optional.of(new Reading(txn, table.get(), index.get()));
  }

  private void fillBatches() throws InterruptedException {
    while (true) {
      Optional<Batch> batch = batches.poll(TICK);
      if (batch.isPresent()) {
        boolean filled = fill(batch.get());
        tell(
            filled
                ? new News.Filled(batch.get().number, batch.get().to, batch.get().rows.size())
                : new News.Interrupted());
      }
    }
  }

  /** False if the backfill must end. */
  private boolean fill(Batch batch) throws InterruptedException {
    CommitResult result = commit(batch.reading, batch.rows, IndexBatch.Existing.NONE);
    if (result instanceof CommitResult.Committed) {
      return true;
    } else if (result instanceof CommitResult.Fenced) {
      reign.depose();
      return false;
    }
    String rowsEnd = Keys.end(Keys.rowPrefix(batch.reading.table.id()));
    return fillInParts(batch.from, batch.to.orElse(rowsEnd));
  }

  private CommitResult commit(
      Reading reading, List<StoreTxn.Entry> rows, IndexBatch.Existing existing)
      throws InterruptedException {
    StoreTxn txn = reading.txn;
    new IndexBatch(txn, reading.table, reading.index, existing).add(rows);
    txn.lock(JobKeys.job(job.id()));
    reign.fence(txn);
    reign.node().failpoints().hit("beforeBackfillCommit", job.labels(reign.node().label()));
    return txn.commit();
  }

  /**
   * Does the rows in {@code [from, to)} again, fewer at a time, the more they change, and looking
   * at what stands.
   */
  private boolean fillInParts(String from, String to) throws InterruptedException {
    Optional<String> next = Optional.of(from);
    int part = PART;
    while (next.isPresent()) {
      Optional<Reading> reading = begin();
      if (reading.isEmpty()) {
        return false;
      }
      List<StoreTxn.Entry> rows = reading.get().txn.scan(next.get(), to, part);
      CommitResult result = commit(reading.get(), rows, IndexBatch.Existing.LOOKED_UP);
      if (result instanceof CommitResult.Committed) {
        next = after(rows, part);
        part = Math.min(PART, 2 * part);
      } else if (result instanceof CommitResult.Fenced) {
        reign.depose();
        return false;
      } else {
        part = Math.max(PART_MIN, part / 2);
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
