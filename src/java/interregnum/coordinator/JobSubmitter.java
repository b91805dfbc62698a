package interregnum.coordinator;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.runtime.Mailbox;
import interregnum.runtime.Signal;
import interregnum.runtime.Task;
import interregnum.schema.NodeContext;
import interregnum.store.CommitResult;
import interregnum.store.StoreTxn;
import interregnum.store.StoreUnavailableException;
import interregnum.store.Transactions;
import interregnum.table.DdlStatement;
import interregnum.table.Keys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Puts jobs into the queue. One task per node does it, in batches: ids and rows are written in one
 * transaction, so rows appear in the order of their ids.
 */
final class JobSubmitter {
  private static final Duration CALL_LIMIT = Duration.ofSeconds(1);
  private static final Duration IDLE = Duration.ofMinutes(1);
  private static final Duration ANSWER_TICK = Duration.ofSeconds(1);
  private static final int QUEUE = 256;
  private static final int BATCH_MAX = 32;
  private static final int ATTEMPTS = 100;

  private final NodeContext node;
  private final Transactions transactions;
  private final Mailbox<Request> requests;
  private Task task;

  JobSubmitter(NodeContext node) {
    this.node = node;
    this.transactions = new Transactions(node.runtime(), node.store(), ATTEMPTS);
    this.requests = node.runtime().mailbox("ddl-submissions", QUEUE);
  }

  /** A statement and, once known, the job it became or the error. */
  private static final class Request {
    private final DdlStatement statement;
    private final Signal answered;
    private volatile long jobId;
    private volatile Optional<SqlException> error = Optional.empty();

    Request(DdlStatement statement, Signal answered) {
      this.statement = statement;
      this.answered = answered;
    }
  }

  void start() {
    task = node.runtime().spawn("ddl-submitter-" + node.nodeId(), this::run);
  }

  void close() {
    if (task != null) {
      task.cancel();
    }
  }

  /**
   * Queues a job; gives its id.
   *
   * @throws SqlException if that failed, or its outcome is unknown
   */
  long submit(DdlStatement statement) throws InterruptedException {
    Request request = new Request(statement, new Signal(node.runtime(), "submission"));
    if (!requests.offer(request, CALL_LIMIT)) {
      throw SqlError.STORE_UNREACHABLE.with("Nothing was written: too many schema changes wait");
    }
    while (!request.answered.await(0, ANSWER_TICK)) {
      if (task.isDone()) {
        throw SqlError.UNDETERMINED.with("Commit result undetermined: the node is closing");
      }
    }
    if (request.error.isPresent()) {
      throw request.error.get();
    }
    return request.jobId;
  }

  private void run() throws InterruptedException {
    while (true) {
      List<Request> batch = new ArrayList<>();
      requests.poll(IDLE).ifPresent(batch::add);
      Optional<Request> more = batch.isEmpty() ? Optional.empty() : requests.poll(Duration.ZERO);
      while (more.isPresent()) {
        batch.add(more.get());
        more = batch.size() < BATCH_MAX ? requests.poll(Duration.ZERO) : Optional.empty();
      }
      if (!batch.isEmpty()) {
        insert(batch);
        batch.forEach(request -> request.answered.raise());
      }
    }
  }

  private void insert(List<Request> batch) throws InterruptedException {
    Optional<SqlException> error;
    try {
      CommitResult result = transactions.run(txn -> insert(txn, batch)).result();
      error = error(result);
    } catch (StoreUnavailableException e) {
      error =
          Optional.of(SqlError.STORE_UNREACHABLE.with("Nothing was written: %s", e.getMessage()));
    }
    for (Request request : batch) {
      request.error = error;
    }
    if (error.isEmpty()) {
      wakeOwner(batch.get(batch.size() - 1).jobId);
    }
  }

  private boolean insert(StoreTxn txn, List<Request> batch) throws InterruptedException {
    long id = txn.get(Keys.NEXT_ID).map(Long::parseLong).orElse(0L);
    for (Request request : batch) {
      boolean makesTable =
          request.statement instanceof DdlStatement.CreateTable
              || request.statement instanceof DdlStatement.TruncateTable;
      long tableId = makesTable ? ++id : 0;
      request.jobId = ++id;
      DdlJob job = DdlJob.queued(id, request.statement, tableId, node.nodeId());
      txn.put(JobKeys.job(id), job.json());
    }
    txn.put(Keys.NEXT_ID, Long.toString(id));
    return true;
  }

  private static Optional<SqlException> error(CommitResult result) {
    if (result instanceof CommitResult.Committed) {
      return Optional.empty();
    } else if (result instanceof CommitResult.Unknown unknown) {
      return Optional.of(
          SqlError.UNDETERMINED.with("Commit result undetermined: %s", unknown.reason()));
    } else if (result instanceof CommitResult.Failed failed) {
      return Optional.of(
          SqlError.STORE_UNREACHABLE.with("Nothing was written: %s", failed.reason()));
    }
    return Optional.of(
        SqlError.WRITE_CONFLICT.with("Write conflict, nothing was written [try again later]"));
  }

  /** The owner looks at the queue now and then by itself; this makes it look at once. */
  void wakeOwner(long jobId) throws InterruptedException {
    node.etcd().put(JobKeys.NOTIFY, Long.toString(jobId), 0, CALL_LIMIT);
  }
}
