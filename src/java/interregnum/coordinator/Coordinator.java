package interregnum.coordinator;

import interregnum.allocator.IdService;
import interregnum.allocator.RebaseResult;
import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.owner.OwnerConfig;
import interregnum.owner.OwnerListener;
import interregnum.owner.Ownership;
import interregnum.owner.Term;
import interregnum.schema.NodeContext;
import interregnum.store.StoreUnavailableException;
import interregnum.table.Column;
import interregnum.table.DdlStatement;
import interregnum.table.DdlStatement.SetAutoIncrement;
import interregnum.table.Keys;
import interregnum.table.TableInfo;
import interregnum.table.TableJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A node's part in schema changes: takes them from its clients, and carries out everybody's while
 * it owns the {@code ddl} role. Any task may use it between {@link #start} and {@link #close}.
 */
public final class Coordinator implements AutoCloseable {
  private static final Duration WAIT_LIMIT = Duration.ofMinutes(10);
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final Parts parts;
  private final NodeContext node;
  private final JobSubmitter submitter;
  private final FinishedJobs finished;
  private final JobControl control;
  private volatile Optional<Scheduler> scheduler = Optional.empty();

  /** Those of past reigns that go on; the task of the ownership adds, {@link #close} reads. */
  private final List<Scheduler> abandoned = new ArrayList<>();

  private volatile Ownership ownership;

  /** What a coordinator works with. */
  public record Parts(NodeContext node, IdService ids, CoordinatorModes modes) {}

  public Coordinator(Parts parts) {
    this.parts = parts;
    this.node = parts.node();
    this.submitter = new JobSubmitter(node);
    this.finished = new FinishedJobs(node);
    this.control = new JobControl(node);
  }

  /** Starts and stops the scheduler with each reign. */
  private final class ReignListener implements OwnerListener {
    @Override
    public void onBecomeOwner(Term term) {
      Scheduler next = new Scheduler(new Reign(parts, term, ownership::isOwner), finished);
      scheduler = Optional.of(next);
      next.start();
    }

    @Override
    public void onRetireOwner(Term term) throws InterruptedException {
      Optional<Scheduler> last = scheduler;
      scheduler = Optional.empty();
      if (last.isPresent() && parts.modes().retire() == CoordinatorModes.Retire.ABANDONS) {
        abandoned.add(last.get());
      } else if (last.isPresent()) {
        last.get().stop();
      }
    }
  }

  /** Begins to take schema changes, and stands for election; once. */
  public void start(OwnerConfig candidacy) {
    finished.start();
    submitter.start();
    ownership =
        new Ownership(
            node.runtime(), node.etcd(), node.failpoints(), candidacy, new ReignListener());
    ownership.start();
  }

  /** Gives up the role, if the node has it, and takes no more schema changes. */
  @Override
  public void close() {
    if (ownership != null) {
      ownership.close();
    }
    submitter.close();
    finished.close();
    try {
      for (Scheduler each : abandoned) {
        each.stop();
      }
    } catch (InterruptedException e) {
      // The caller's own task is being cancelled; what was abandoned ends with the process.
      return;
    }
  }

  /** The node's part in the election of the {@code ddl} role, once started. */
  public Ownership ownership() {
    return ownership;
  }

  /**
   * Carries out a schema change: returns once every live node works with it. It goes on if the
   * waiting task is cancelled.
   *
   * @throws SqlException if it was refused, or its outcome is unknown
   */
  public void execute(DdlStatement statement) throws InterruptedException {
    if (statement instanceof SetAutoIncrement set) {
      setAutoIncrement(set);
      return;
    }
    awaitEnd(submitter.submit(statement));
  }

  private void awaitEnd(long jobId) throws InterruptedException {
    long start = node.runtime().nanoTime();
    while (node.runtime().nanoTime() - start < WAIT_LIMIT.toNanos()) {
      try {
        Optional<DdlJob> ended = finished.await(jobId);
        if (ended.isPresent()) {
          Optional<SqlError> error = ended.get().error();
          if (error.isPresent()) {
            throw new SqlException(error.get(), ended.get().progress().message());
          }
          return;
        }
      } catch (StoreUnavailableException e) {
        node.runtime().sleep(PAUSE);
      }
    }
    throw SqlError.UNDETERMINED.with("DDL Job:%d has not ended yet; it goes on", jobId);
  }

  /** Moves a table's counter, which no definition holds: no job is needed. */
  private void setAutoIncrement(SetAutoIncrement set) throws InterruptedException {
    TableInfo table =
        node.store()
            .begin()
            .get(Keys.table(set.database(), set.name()))
            .map(TableJson::read)
            .filter(t -> t.state().isPublic())
            .orElseThrow(
                () ->
                    SqlError.NO_SUCH_TABLE.with(
                        "Table '%s.%s' doesn't exist", set.database(), set.name()));
    Optional<Column> column = table.autoColumn();
    if (column.isEmpty()) {
      return;
    }
    boolean unsigned = column.get().type().unsigned();
    RebaseResult result =
        parts.ids().rebase(table.id(), set.nextId() - 1, set.force(), unsigned);
    if (result instanceof RebaseResult.Undetermined undetermined) {
      throw SqlError.UNDETERMINED.with("The counter may have moved: %s", undetermined.reason());
    } else if (result instanceof RebaseResult.Unavailable unavailable) {
      throw SqlError.NO_AUTO_ID.with(
          "Failed to move the auto-increment counter: %s", unavailable.reason());
    }
  }

  /** The jobs under way, in order. */
  public List<DdlJob> jobs() throws InterruptedException {
    return control.queue();
  }

  /** The last {@code limit} jobs that have ended, newest first; all if it is 0. */
  public List<DdlJob> history(int limit) throws InterruptedException {
    return control.history(limit);
  }

  /** The jobs that this node works on now. */
  public Set<Long> running() {
    return scheduler.map(s -> s.running().keySet()).orElse(Set.of());
  }

  /**
   * Makes a job end without effect.
   *
   * @throws SqlException if there is no such job, it is too late, or the outcome is unknown
   */
  public void cancel(long jobId) throws InterruptedException {
    control.cancel(jobId);
    submitter.wakeOwner(jobId);
  }

  /** Keeps a job from doing further steps; throws as {@link #cancel} does. */
  public void pause(long jobId) throws InterruptedException {
    control.pause(jobId);
    submitter.wakeOwner(jobId);
  }

  /** Lets a paused job go on; throws as {@link #cancel} does. */
  public void resume(long jobId) throws InterruptedException {
    control.resume(jobId);
    submitter.wakeOwner(jobId);
  }
}
