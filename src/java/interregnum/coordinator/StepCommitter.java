package interregnum.coordinator;

import interregnum.error.SqlException;
import interregnum.failpoint.FailpointException;
import interregnum.failpoint.Failpoints;
import interregnum.schema.JsonText;
import interregnum.schema.MdlRow;
import interregnum.schema.SchemaKeys;
import interregnum.store.CommitResult;
import interregnum.store.StoreTxn;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits one step of a job: definitions, version, diff, metadata lock row and job row together, if
 * the job row is still the one that the step was planned on.
 */
final class StepCommitter {
  private static final Logger LOG = LoggerFactory.getLogger(StepCommitter.class);

  private final Reign reign;
  private final SchemaVersions versions;
  private final Failpoints failpoints;

  StepCommitter(Reign reign, SchemaVersions versions) {
    this.reign = reign;
    this.versions = versions;
    this.failpoints = reign.node().failpoints();
  }

  /** What came of trying a step. */
  sealed interface Result {

    /**
     * It is done.
     *
     * @param schemaChanged whether the nodes must learn of it
     */
    record Stepped(DdlJob job, boolean schemaChanged) implements Result {}

    /** The job cannot be done; nothing was written. */
    record Refused(SqlException cause) implements Result {}

    /** The job row is not what it was; nothing was written. */
    record Changed() implements Result {}

    /**
     * Nothing was written, or nobody knows: look at the job again.
     *
     * @param planned the job as the step would have left it, if it was planned
     */
    record Again(Optional<DdlJob> planned) implements Result {}

    /** The reign is over; nothing was written. */
    record Deposed() implements Result {}
  }

  /**
   * Plans and commits the next step.
   *
   * @param row the job row as it was read
   * @param job what it says, or what an earlier try made of it
   */
  Result step(String row, DdlJob job) throws InterruptedException {
    reign.takeTurn();
    try {
      return stepInTurn(row, job);
    } finally {
      reign.releaseTurn();
    }
  }

  private Result stepInTurn(String row, DdlJob job) throws InterruptedException {
    StoreTxn txn = reign.node().store().begin();
    if (!isUnchanged(txn, row, job)) {
      return new Result.Changed();
    }
    SchemaSteps.Step step;
    try {
      step = SchemaSteps.plan(txn, job);
    } catch (SqlException e) {
      return new Result.Refused(e);
    }
    String[] labels = job.labels(reign.node().label());
    long version = job.progress().version();
    if (step.changesSchema()) {
      version = versions.next(txn, job);
      MdlRow mdlRow = new MdlRow(job.id(), version, step.tableIds(), reign.owner());
      txn.put(SchemaKeys.mdlRow(job.id()), JsonText.write(mdlRow));
    }
    DdlJob next = job.with(step.progress().by(reign.owner(), version));
    txn.put(JobKeys.job(job.id()), next.json());
    if (reign.modes().fencing() == CoordinatorModes.Fencing.LOCAL_FLAG) {
      failpoints.hit("beforeCheckOwner", labels);
      if (!reign.isFlagSet()) {
        return new Result.Deposed();
      }
      failpoints.hit("afterCheckOwner", labels);
    }
    return commit(txn, next, step.changesSchema());
  }

  private boolean isUnchanged(StoreTxn txn, String row, DdlJob job) throws InterruptedException {
    if (reign.modes().jobCheck() == CoordinatorModes.JobCheck.NONE) {
      return true;
    }
    return txn.get(JobKeys.job(job.id())).equals(Optional.of(row));
  }

  private Result commit(StoreTxn txn, DdlJob next, boolean schemaChanged)
      throws InterruptedException {
    String[] labels = next.labels(reign.node().label());
    reign.fence(txn);
    try {
      failpoints.hit("beforeStepCommit", labels);
    } catch (FailpointException e) {
      return new Result.Again(Optional.of(next));
    }
    CommitResult result = txn.commit();
    if (result instanceof CommitResult.Committed) {
      failpoints.hit("afterStepCommit", labels);
      LOG.info(
          "ddl-step owner={} job={} state={} schemaState={} version={}",
          reign.owner(),
          next.id(),
          next.progress().state(),
          next.progress().schemaState(),
          next.progress().version());
      return new Result.Stepped(next, schemaChanged);
    }
    LOG.warn("ddl-step-aborted owner={} job={} result={}", reign.owner(), next.id(), result);
    return result instanceof CommitResult.Fenced
        ? new Result.Deposed()
        : new Result.Again(Optional.of(next));
  }
}
