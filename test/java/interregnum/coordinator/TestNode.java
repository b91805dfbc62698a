package interregnum.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import interregnum.allocator.AllocResult;
import interregnum.allocator.IdService;
import interregnum.allocator.RebaseResult;
import interregnum.allocator.Spacing;
import interregnum.error.SqlException;
import interregnum.etcd.JetcdEtcd;
import interregnum.failpoint.Failpoints;
import interregnum.owner.OwnerConfig;
import interregnum.owner.OwnerDirectory;
import interregnum.owner.OwnerModes;
import interregnum.owner.OwnerRole;
import interregnum.runtime.FailureHandler;
import interregnum.runtime.Runtime;
import interregnum.runtime.SystemRuntime;
import interregnum.runtime.Task;
import interregnum.schema.NodeContext;
import interregnum.schema.SchemaConfig;
import interregnum.schema.SchemaModes;
import interregnum.schema.SchemaService;
import interregnum.schema.SchemaView;
import interregnum.sql.ClusterCatalog;
import interregnum.sql.exec.ClusterAdmin;
import interregnum.sql.exec.Result;
import interregnum.sql.exec.Session;
import interregnum.sql.exec.SqlEngine;
import interregnum.sql.exec.SqlModes;
import interregnum.store.CommitResult;
import interregnum.store.EtcdStore;
import interregnum.store.StoreTxn;
import interregnum.table.Column;
import interregnum.table.ColumnType;
import interregnum.table.DdlStatement;
import interregnum.table.IndexEntry;
import interregnum.table.Keys;
import interregnum.table.Row;
import interregnum.table.RowJson;
import interregnum.table.SchemaState;
import interregnum.table.TableInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/** A node without its SQL front: etcd client, store, schema service and coordinator. */
final class TestNode implements AutoCloseable {
  static final String DB = "test";
  private static final Duration TTL = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofSeconds(20);

  final String id;
  final Runtime runtime;
  final NodeContext context;
  final Failpoints failpoints;
  final EtcdStore store;
  final SchemaService schema;
  final Coordinator coordinator;
  private final SqlEngine engine;
  private final OwnerConfig candidacy;

  /** The switchable parts of a node. */
  record Modes(OwnerModes owner, SchemaModes schema, CoordinatorModes coordinator) {
    static final Modes CORRECT =
        new Modes(OwnerModes.CORRECT, SchemaModes.CORRECT, CoordinatorModes.CORRECT);
  }

  TestNode(String id, JetcdEtcd etcd, Modes modes, FailureHandler failures) {
    this.id = id;
    this.runtime = new SystemRuntime(id.hashCode(), failures);
    this.failpoints = new Failpoints(runtime, () -> {});
    this.store = new EtcdStore(runtime, etcd, id);
    this.context = new NodeContext(id, runtime, etcd, store, failpoints);
    this.schema = new SchemaService(context, SchemaConfig.of(TTL, modes.schema));
    this.coordinator =
        new Coordinator(new Coordinator.Parts(context, new NoIds(), modes.coordinator));
    this.engine =
        new SqlEngine(
            id,
            runtime,
            new SqlEngine.Parts(
                store,
                new ClusterCatalog(schema, coordinator),
                new NoIds(),
                new ClusterAdmin(id, store, schema, coordinator, new OwnerDirectory(etcd)),
                SqlModes.CORRECT));
    this.candidacy = new OwnerConfig(OwnerRole.DDL, id, id + ":1", TTL, modes.owner);
  }

  TestNode start() throws InterruptedException {
    schema.start("{}");
    coordinator.start(candidacy);
    assertThat(schema.awaitReady(LONG)).as("%s ready", id).isTrue();
    return this;
  }

  @Override
  public void close() {
    failpoints.armed().forEach(point -> failpoints.disarm(point.name()));
    coordinator.close();
    try {
      schema.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Runs a statement in a task of its own; its end is noted, "ok" or the error's name. */
  Pending submit(DdlStatement statement) {
    AtomicReference<String> end = new AtomicReference<>("");
    Task task =
        runtime.spawn(
            "client of " + id,
            () -> {
              try {
                coordinator.execute(statement);
                end.set("ok");
              } catch (SqlException e) {
                end.set(e.error() + ": " + e.getMessage());
              }
            });
    return new Pending(task, end);
  }

  record Pending(Task task, AtomicReference<String> end) {
    String await() throws InterruptedException {
      task.join(LONG);
      return end.get();
    }
  }

  /** The table as a new transaction on this node sees it. */
  Optional<TableInfo> table(String name) throws InterruptedException {
    try (SchemaView view = schema.view(store.begin())) {
      return view.table(DB, name);
    }
  }

  /** Inserts rows with an id and a value, and keeps the table's indexes. */
  CommitResult insert(String tableName, long first, int count, long valueOfFirst)
      throws InterruptedException {
    StoreTxn txn = store.begin();
    try (SchemaView view = schema.view(txn)) {
      TableInfo table = view.table(DB, tableName).orElseThrow();
      for (int i = 0; i < count; i++) {
        Row row = new Row();
        row.set(table.columns().get(0), first + i);
        row.set(table.columns().get(1), valueOfFirst + i);
        String key = Keys.encode(List.of(first + i));
        txn.put(Keys.row(table.id(), key), RowJson.write(table, row));
        table.indexes().stream()
            .filter(index -> index.state().takesWrites())
            .forEach(
                index ->
                    txn.put(
                        IndexEntry.storeKey(table, index, row, key),
                        IndexEntry.write(table, index, row, key)));
      }
      view.beforeCommit();
      return txn.commit();
    }
  }

  /** What a client in a session of its own is answered: rows, {@code ok}, or an error. */
  String sql(String statement) throws InterruptedException {
    try (Session session = engine.session(1)) {
      session.use(DB);
      Result result = session.execute(session.parse(statement), List.of());
      return result instanceof Result.Rows rows
          ? rows.rows().stream().map(Object::toString).collect(Collectors.joining(" "))
          : "ok";
    } catch (SqlException e) {
      return e.error().code() + ": " + e.getMessage();
    }
  }

  /** Where the definition of a table stands. */
  static String key(String tableName) {
    return Keys.table(DB, tableName);
  }

  static DdlStatement create(String name) {
    return new DdlStatement.CreateTable(definition(name), false);
  }

  static TableInfo definition(String name) {
    return new TableInfo(
        0, DB, name, List.of(column(1, "id"), column(2, "v")), List.of("id"), List.of(), 0, 0, 2, 0,
        SchemaState.PUBLIC);
  }

  static Column column(int id, String name) {
    ColumnType type = new ColumnType(ColumnType.Kind.BIGINT, false, 0);
    return new Column(id, name, type, true, null, false, SchemaState.PUBLIC);
  }

  /** Tables of these tests draw no ids. */
  private static final class NoIds implements IdService {
    @Override
    public AllocResult alloc(long tableId, int n, Spacing spacing, boolean unsigned) {
      return new AllocResult.Unavailable("no id service in this test");
    }

    @Override
    public RebaseResult rebase(long tableId, long base, boolean force, boolean unsigned) {
      return new RebaseResult.Unavailable("no id service in this test");
    }
  }
}
