package interregnum.coordinator;

import interregnum.error.SqlError;
import interregnum.schema.NodeContext;
import interregnum.store.CommitResult;
import interregnum.store.StoreTxn;
import interregnum.store.Transactions;
import interregnum.table.Keys;
import interregnum.table.SchemaState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Looks at jobs, and cancels, pauses and resumes them, from any node. */
final class JobControl {
  private static final int ATTEMPTS = 50;

  private final NodeContext node;
  private final Transactions transactions;

  JobControl(NodeContext node) {
    this.node = node;
    this.transactions = new Transactions(node.runtime(), node.store(), ATTEMPTS);
  }

  /** The jobs under way, in order. */
  List<DdlJob> queue() throws InterruptedException {
    List<DdlJob> jobs = new ArrayList<>();
    for (StoreTxn.Entry entry :
        node.store().begin().scan(JobKeys.JOBS, Keys.end(JobKeys.JOBS), 0)) {
      jobs.add(DdlJob.read(entry.value()));
    }
    return jobs;
  }

  /** The last {@code limit} jobs that have ended, newest first; all if it is 0. */
  List<DdlJob> history(int limit) throws InterruptedException {
    List<DdlJob> jobs = new ArrayList<>();
    for (StoreTxn.Entry entry :
        node.store().begin().scan(JobKeys.HISTORY, Keys.end(JobKeys.HISTORY), 0)) {
      jobs.add(DdlJob.read(entry.value()));
    }
    Collections.reverse(jobs);
    return limit == 0 || jobs.size() <= limit ? jobs : jobs.subList(0, limit);
  }

  /** Makes a job end without effect. */
  void cancel(long id) throws InterruptedException {
    change(id, "cancelled", this::cancelled);
  }

  private DdlJob cancelled(DdlJob job) {
    JobProgress progress = job.progress();
    boolean begun = progress.version() != 0;
    boolean canEnd =
        !begun && progress.state() == JobState.QUEUED
            || job.canRollBack()
                && progress.state() == JobState.RUNNING
                && progress.schemaState() != SchemaState.PUBLIC;
    if (!canEnd) {
      throw SqlError.DDL_NOT_CANCELLABLE.with(
          "This job:%d is almost finished, can't be cancelled now", job.id());
    }
    return job.with(
        progress
            .failed(SqlError.DDL_CANCELLED.name(), "Cancelled DDL job")
            .in(JobState.CANCELLING)
            .paused(false));
  }

  /** Keeps a job from doing further steps. */
  void pause(long id) throws InterruptedException {
    change(id, "paused", job -> job.with(pausable(job).paused(true)));
  }

  private static JobProgress pausable(DdlJob job) {
    JobState state = job.progress().state();
    if (job.progress().paused() || state != JobState.QUEUED && state != JobState.RUNNING) {
      throw SqlError.DDL_NOT_CANCELLABLE.with("This job:%d can't be paused now", job.id());
    }
    return job.progress();
  }

  /** Lets a paused job go on. */
  void resume(long id) throws InterruptedException {
    change(
        id,
        "resumed",
        job -> {
          if (!job.progress().paused()) {
            throw SqlError.DDL_NOT_CANCELLABLE.with("This job:%d is not paused", job.id());
          }
          return job.with(job.progress().paused(false));
        });
  }

  private void change(long id, String what, UnaryOperator<DdlJob> change)
      throws InterruptedException {
    CommitResult result =
        transactions
            .run(
                txn -> {
                  Optional<String> row = txn.get(JobKeys.job(id));
                  DdlJob job =
                      row.map(DdlJob::read)
                          .orElseThrow(
                              () ->
                                  SqlError.NO_SUCH_DDL_JOB.with("DDL Job:%d not found", id));
                  txn.put(JobKeys.job(id), change.apply(job).json());
                  return job;
                })
            .result();
    if (result instanceof CommitResult.Unknown unknown) {
      throw SqlError.UNDETERMINED.with(
          "DDL Job:%d may be %s: %s", id, what, unknown.reason());
    } else if (!(result instanceof CommitResult.Committed)) {
      throw SqlError.STORE_UNREACHABLE.with("DDL Job:%d was not %s: %s", id, what, result);
    }
  }
}
