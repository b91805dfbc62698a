package interregnum.coordinator;

import interregnum.allocator.RebaseResult;
import interregnum.coordinator.CoordinatorModes.Ack;
import interregnum.coordinator.CoordinatorModes.AfterAbort;
import interregnum.coordinator.CoordinatorModes.Takeover;
import interregnum.coordinator.StepCommitter.Result;
import interregnum.error.SqlException;
import interregnum.failpoint.FailpointException;
import interregnum.failpoint.Failpoints;
import interregnum.schema.JsonText;
import interregnum.schema.MdlRow;
import interregnum.schema.SchemaKeys;
import interregnum.store.CommitResult;
import interregnum.store.StoreTxn;
import interregnum.store.StoreUnavailableException;
import interregnum.store.Transactions;
import interregnum.table.DdlStatement;
import interregnum.table.DdlStatement.AddIndex;
import interregnum.table.DdlStatement.CreateTable;
import interregnum.table.Keys;
import interregnum.table.SchemaState;
import interregnum.table.TableInfo;
import interregnum.table.TableJson;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one job of a reign to its end: step, publish, wait for the nodes, next step. One task uses
 * it. It leaves the job alone when the job is paused or the reign is over.
 */
final class JobWorker {
  private static final Logger LOG = LoggerFactory.getLogger(JobWorker.class);
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final int ATTEMPTS = 10;

  private final Reign reign;
  private final SyncTracker sync;
  private final StepCommitter steps;
  private final FinishedJobs finished;
  private final Failpoints failpoints;
  private final Transactions transactions;
  private final long jobId;

  /** The job row as last read or written, and the job; they differ after an aborted step. */
  private String row;

  private DdlJob job;

  /** The last schema version of the job that all nodes are known to have seen. */
  private long seenVersion;

  /** The table as it was before the last step. */
  private Optional<TableInfo> before = Optional.empty();

  JobWorker(Reign reign, SyncTracker sync, FinishedJobs finished, String row) {
    this.reign = reign;
    this.sync = sync;
    this.steps = new StepCommitter(reign, new SchemaVersions(reign));
    this.finished = finished;
    this.failpoints = reign.node().failpoints();
    this.transactions =
        new Transactions(reign.node().runtime(), reign.node().store(), ATTEMPTS);
    this.row = row;
    this.job = DdlJob.read(row);
    this.jobId = job.id();
  }

  /** Works on the job until it has ended or is not this reign's to do. */
  void run() throws InterruptedException {
    while (!reign.isDeposed()) {
      try {
        if (!advance()) {
          return;
        }
      } catch (StoreUnavailableException | FailpointException e) {
        LOG.warn(
            "ddl-job-retried owner={} job={} cause={}", reign.owner(), jobId, e.getMessage());
        reign.node().runtime().sleep(PAUSE);
        if (!readAgain()) {
          return;
        }
      }
    }
  }

  /** Makes sure that the nodes have seen the last step, whoever did it. */
  private void awaitLastStep() throws InterruptedException {
    JobProgress progress = job.progress();
    boolean own = progress.owner().equals(reign.owner());
    if (progress.version() == seenVersion
        || !own && reign.modes().takeover() == Takeover.GOES_ON) {
      return;
    }
    Optional<MdlRow> mdlRow = mdlRow(reign.node().store().begin());
    if (mdlRow.isPresent()) {
      sync.publish(mdlRow.get().version());
      sync.awaitSynced(jobId, mdlRow.get().version());
      deleteMdlRow(mdlRow.get().owner());
    }
    seenVersion = progress.version();
  }

  private Optional<MdlRow> mdlRow(StoreTxn txn) throws InterruptedException {
    return txn.get(SchemaKeys.mdlRow(jobId)).map(json -> JsonText.read(json, MdlRow.class));
  }

  /** One round; false if there is nothing more to do here. */
  private boolean advance() throws InterruptedException {
    awaitLastStep();
    if (job.progress().paused()) {
      return false;
    }
    if (job.progress().state().isOver()) {
      return !finish();
    }
    failpoints.hit("beforeRunJob", labels());
    if (needsBackfill() && !backfill()) {
      reign.node().runtime().sleep(PAUSE);
      return readAgain();
    }
    if (!startAutoIds()) {
      throw new StoreUnavailableException("the id service does not answer");
    }
    before = table();
    Result result = steps.step(row, job);
    if (result instanceof Result.Stepped stepped) {
      row = stepped.job().json();
      job = stepped.job();
      if (stepped.schemaChanged()) {
        spread();
      }
      return true;
    } else if (result instanceof Result.Refused refused) {
      return !refuse(refused.cause());
    } else if (result instanceof Result.Deposed) {
      reign.depose();
      return false;
    } else if (result instanceof Result.Again again
        && again.planned().isPresent()
        && reign.modes().afterAbort() == AfterAbort.KEEPS_STATE) {
      job = again.planned().get();
      return true;
    }
    reign.node().runtime().sleep(PAUSE);
    return readAgain();
  }

  private Optional<TableInfo> table() throws InterruptedException {
    DdlStatement s = job.statement();
    return reign.node().store().begin().get(Keys.table(s.database(), s.name()))
        .map(TableJson::read);
  }

  private boolean needsBackfill() {
    return job.statement() instanceof AddIndex
        && job.progress().state() == JobState.RUNNING
        && job.progress().schemaState() == SchemaState.REORGANISING;
  }

  /** False if the job is to be looked at again; a duplicate makes it roll back. */
  private boolean backfill() throws InterruptedException {
    try {
      return new Backfill(reign, job, row).run() == Backfill.End.FILLED;
    } catch (SqlException e) {
      LOG.info("ddl-backfill-refused job={} message={}", jobId, e.getMessage());
      JobProgress failed = job.progress().failed(e.error().name(), e.getMessage());
      rewrite(job.with(failed.in(JobState.CANCELLING)));
      return false;
    }
  }

  /** Lifts a new table's counter to its declared start before anyone can see the table. */
  private boolean startAutoIds() throws InterruptedException {
    if (!(job.statement() instanceof CreateTable create)
        || create.table().autoIncrementStart() <= 1) {
      return true;
    }
    boolean unsigned =
        create.table().autoColumn().map(c -> c.type().unsigned()).orElse(false);
    return reign
            .ids()
            .rebase(job.newTableId(), create.table().autoIncrementStart() - 1, false, unsigned)
        instanceof RebaseResult.Rebased;
  }

  /** Makes all nodes see the step, and tells the client if it was the last one. */
  private void spread() throws InterruptedException {
    long version = job.progress().version();
    if (reign.modes().ack() == Ack.BEFORE_SYNC && job.progress().state() == JobState.DONE) {
      finish();
    }
    failpoints.hit("beforePublish", labels());
    sync.publish(version);
    failpoints.hit("beforeWaitSync", labels());
    sync.awaitSynced(jobId, version);
    failpoints.hit("beforeCleanMdl", labels());
    deleteMdlRow(reign.owner());
    seenVersion = version;
  }

  private void deleteMdlRow(String owner) throws InterruptedException {
    boolean any = reign.modes().mdlRows() == CoordinatorModes.MdlRows.ANY;
    Transactions.Ended<Boolean> ended =
        transactions.run(
            txn -> {
              boolean deletes = any || mdlRow(txn).filter(r -> r.owner().equals(owner)).isPresent();
              if (deletes) {
                txn.delete(SchemaKeys.mdlRow(jobId));
              }
              if (!any) {
                reign.fence(txn);
              }
              return deletes;
            });
    if (ended.result() instanceof CommitResult.Fenced) {
      reign.depose();
    }
  }

  /** Ends a job that cannot be done, or makes one that has begun roll back; true if it ended. */
  private boolean refuse(SqlException cause) throws InterruptedException {
    boolean begun = job.progress().version() != 0;
    JobProgress failed = job.progress().failed(cause.error().name(), cause.getMessage());
    JobState state = begun && job.canRollBack() ? JobState.CANCELLING : JobState.CANCELLED;
    rewrite(job.with(failed.in(state)));
    return !readAgain();
  }

  /** Replaces the job's row, if it is still the one that was read. */
  private void rewrite(DdlJob changed) throws InterruptedException {
    String expected = row;
    Transactions.Ended<Boolean> ended =
        transactions.run(
            txn -> {
              boolean same = isToBeReplaced(txn.get(JobKeys.job(jobId)), expected);
              if (same) {
                txn.put(JobKeys.job(jobId), changed.json());
              }
              reign.fence(txn);
              return same;
            });
    if (ended.result() instanceof CommitResult.Fenced) {
      reign.depose();
    }
  }

  private boolean isToBeReplaced(Optional<String> stands, String expected) {
    return stands.isPresent()
        && (reign.modes().jobCheck() == CoordinatorModes.JobCheck.NONE
            || stands.get().equals(expected));
  }

  /** False if the job is gone. */
  private boolean readAgain() throws InterruptedException {
    Optional<String> stands = Optional.empty();
    boolean read = false;
    while (!read) {
      try {
        stands = reign.node().store().begin().get(JobKeys.job(jobId));
        read = true;
      } catch (StoreUnavailableException e) {
        reign.node().runtime().sleep(PAUSE);
      }
    }
    stands.ifPresent(
        json -> {
          row = json;
          job = DdlJob.read(json);
        });
    return stands.isPresent();
  }

  /** Moves the job to the history and tells its client; false if the job has changed. */
  private boolean finish() throws InterruptedException {
    failpoints.hit("beforeMoveToHistory", labels());
    JobState state = job.progress().state();
    DdlJob ended = job.with(job.progress().in(state == JobState.DONE ? JobState.SYNCED : state));
    String expected = row;
    Transactions.Ended<Boolean> moved =
        transactions.run(
            txn -> {
              Optional<String> stands = txn.get(JobKeys.job(jobId));
              if (!isToBeReplaced(stands, expected)) {
                return false;
              }
              txn.delete(JobKeys.job(jobId));
              txn.delete(JobKeys.reorg(jobId));
              txn.put(JobKeys.history(jobId), ended.json());
              reign.fence(txn);
              return true;
            });
    if (moved.result() instanceof CommitResult.Fenced) {
      reign.depose();
      return false;
    }
    if (!moved.value() || !moved.isCommitted()) {
      return !readAgain();
    }
    LOG.info("ddl-finished owner={} job={} state={}", reign.owner(), jobId, ended.progress());
    failpoints.hit("beforeAck", labels());
    finished.announce(ended);
    sync.forget(jobId);
    if (before.isPresent()) {
      new RangeCleaner(reign).clean(job, before.get());
    }
    return true;
  }

  private String[] labels() {
    return job.labels(reign.node().label());
  }
}
