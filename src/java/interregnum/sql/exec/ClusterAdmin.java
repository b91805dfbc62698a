package interregnum.sql.exec;

import interregnum.coordinator.Coordinator;
import interregnum.coordinator.DdlJob;
import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.owner.Leader;
import interregnum.owner.OwnerDirectory;
import interregnum.owner.OwnerRole;
import interregnum.runtime.Outcome;
import interregnum.schema.SchemaService;
import interregnum.schema.SchemaSnapshot;
import interregnum.schema.SchemaView;
import interregnum.sql.Statement.Admin;
import interregnum.sql.Statement.TableRef;
import interregnum.store.Store;
import interregnum.store.StoreTxn;
import interregnum.table.SchemaState;
import interregnum.table.TableInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Answers the ADMIN statements of a node in a cluster. */
public final class ClusterAdmin implements DdlAdmin {
  private static final Duration LOOK_UP_LIMIT = Duration.ofSeconds(1);
  private static final int ENDED_SHOWN = 10;

  private final String nodeId;
  private final Store store;
  private final SchemaService schema;
  private final Coordinator coordinator;
  private final OwnerDirectory directory;

  public ClusterAdmin(
      String nodeId,
      Store store,
      SchemaService schema,
      Coordinator coordinator,
      OwnerDirectory directory) {
    this.nodeId = nodeId;
    this.store = store;
    this.schema = schema;
    this.coordinator = coordinator;
    this.directory = directory;
  }

  @Override
  public Result run(Admin statement) throws InterruptedException {
    return switch (statement.action()) {
      case SHOW_DDL -> showDdl();
      case SHOW_DDL_JOBS -> showJobs();
      case CANCEL_DDL_JOBS -> eachJob(statement.jobs(), coordinator::cancel);
      case PAUSE_DDL_JOBS -> eachJob(statement.jobs(), coordinator::pause);
      case RESUME_DDL_JOBS -> eachJob(statement.jobs(), coordinator::resume);
      case CHECK_TABLE -> checkTable(statement.table());
    };
  }

  private Result showDdl() throws InterruptedException {
    Outcome<Optional<Leader>> outcome = directory.leader(OwnerRole.DDL, LOOK_UP_LIMIT);
    if (!(outcome instanceof Outcome.Done<Optional<Leader>> done)) {
      throw SqlError.STORE_UNREACHABLE.with("The owner is not known: %s", outcome);
    }
    Optional<Leader> owner = done.value();
    List<String> jobs = new ArrayList<>();
    for (DdlJob job : coordinator.jobs()) {
      jobs.add("ID:" + job.id() + ", Type:" + job.type() + ", State:" + job.progress().state());
    }
    List<Object> row =
        Result.Rows.row(
            schema.status().latest().map(SchemaSnapshot::version).orElse(0L),
            owner.map(Leader::id).orElse(""),
            owner.map(Leader::address).orElse(""),
            String.join("; ", jobs),
            nodeId);
    List<ResultColumn> columns =
        List.of(
            ResultColumn.integer("SCHEMA_VER"),
            ResultColumn.text("OWNER_ID"),
            ResultColumn.text("OWNER_ADDRESS"),
            ResultColumn.text("RUNNING_JOBS"),
            ResultColumn.text("SELF_ID"));
    return new Result.Rows(columns, List.of(row));
  }

  private Result showJobs() throws InterruptedException {
    List<DdlJob> jobs = new ArrayList<>(coordinator.jobs());
    jobs.addAll(coordinator.history(ENDED_SHOWN));
    List<List<Object>> rows = new ArrayList<>();
    for (DdlJob job : jobs) {
      String state = job.progress().paused() ? "PAUSED" : job.progress().state().name();
      SchemaState schemaState = job.progress().schemaState();
      rows.add(
          Result.Rows.row(
              job.id(),
              job.statement().database(),
              job.statement().name(),
              job.type(),
              schemaState.id(),
              state.toLowerCase(Locale.ROOT).replace('_', ' '),
              job.progress().message()));
    }
    List<ResultColumn> columns =
        List.of(
            ResultColumn.integer("JOB_ID"),
            ResultColumn.text("DB_NAME"),
            ResultColumn.text("TABLE_NAME"),
            ResultColumn.text("JOB_TYPE"),
            ResultColumn.text("SCHEMA_STATE"),
            ResultColumn.text("STATE"),
            ResultColumn.text("ERROR"));
    return new Result.Rows(columns, rows);
  }

  /** What to do with one job. */
  @FunctionalInterface
  private interface JobAction {
    void run(long jobId) throws InterruptedException;
  }

  /** Does it to each job; a refusal is told in the job's row, an unknown outcome ends it all. */
  private static Result eachJob(List<Long> jobIds, JobAction action) throws InterruptedException {
    List<List<Object>> rows = new ArrayList<>();
    for (long jobId : jobIds) {
      String result = "successful";
      try {
        action.run(jobId);
      } catch (SqlException e) {
        if (!e.error().isDefinite()) {
          throw e;
        }
        result = "error: [" + e.error().code() + "] " + e.getMessage();
      }
      rows.add(Result.Rows.row(jobId, result));
    }
    return new Result.Rows(
        List.of(ResultColumn.integer("JOB_ID"), ResultColumn.text("RESULT")), rows);
  }

  private Result checkTable(TableRef ref) throws InterruptedException {
    StoreTxn txn = store.begin();
    try (SchemaView view = schema.view(txn)) {
      TableInfo table =
          view.table(ref.database(), ref.name())
              .orElseThrow(
                  () ->
                      SqlError.NO_SUCH_TABLE.with(
                          "Table '%s.%s' doesn't exist", ref.database(), ref.name()));
      new TableCheck(txn, table).run();
    }
    return Result.Done.NOTHING;
  }
}
