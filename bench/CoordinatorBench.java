import com.sun.management.OperatingSystemMXBean;
import interregnum.allocator.AllocResult;
import interregnum.allocator.IdService;
import interregnum.allocator.RebaseResult;
import interregnum.allocator.Spacing;
import interregnum.coordinator.Coordinator;
import interregnum.defect.Modes;
import interregnum.etcd.JetcdEtcd;
import interregnum.failpoint.Failpoints;
import interregnum.owner.OwnerConfig;
import interregnum.owner.OwnerRole;
import interregnum.runtime.SystemRuntime;
import interregnum.schema.NodeContext;
import interregnum.schema.SchemaConfig;
import interregnum.schema.SchemaService;
import interregnum.store.CommitResult;
import interregnum.store.EtcdStore;
import interregnum.store.StoreTxn;
import interregnum.table.Column;
import interregnum.table.ColumnType;
import interregnum.table.DdlStatement;
import interregnum.table.Keys;
import interregnum.table.Row;
import interregnum.table.RowJson;
import interregnum.table.SchemaState;
import interregnum.table.TableInfo;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * How long a CREATE TABLE takes until it is acknowledged, how many schema changes a second three
 * nodes get through, and how many rows a second a new index is filled with: three nodes in one
 * process, with a real etcd of one member. In the checkout, after a build:
 *
 * <pre>
 *   java -cp "target/classes:test/resources:$(cat target/classpath)" \
 *     bench/CoordinatorBench.java [CLIENTS [ROWS [WHAT]]]
 * </pre>
 *
 * WHAT is {@code changes}, {@code index} or {@code all}. Prints one line per measurement; the first
 * round warms up. Needs {@code etcd} on the path.
 */
public final class CoordinatorBench {
  private static final String HOST = "127.0.0.1";
  private static final String DB = "bench";
  private static final int ROUNDS = 3;
  private static final int CREATES = 40;
  private static final Duration TTL = Duration.ofSeconds(10);
  private static final Duration LONG = Duration.ofSeconds(60);

  private final Process etcd;
  private final List<Node> nodes = new ArrayList<>();
  private int tables;

  private CoordinatorBench(Process etcd) {
    this.etcd = etcd;
  }

  /** Runs all measurements; the arguments are optional. */
  public static void main(String[] args) throws Exception {
    int clients = args.length > 0 ? Integer.parseInt(args[0]) : 8;
    int rows = args.length > 1 ? Integer.parseInt(args[1]) : 100_000;
    String what = args.length > 2 ? args[2] : "all";
    Path folder = Files.createTempDirectory("coordinator-bench-");
    String url = "http://" + HOST + ":" + freePort();
    Process etcd = startEtcd(folder, url, "http://" + HOST + ":" + freePort());
    try {
      new CoordinatorBench(etcd).measure(url, clients, rows, what);
    } finally {
      etcd.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
      delete(folder);
    }
    System.exit(0);
  }

  private record Node(EtcdStore store, SchemaService schema, Coordinator coordinator) {}

  private void measure(String url, int clients, int rows, String what) throws Exception {
    for (String id : List.of("n1", "n2", "n3")) {
      nodes.add(start(id, url));
    }
    for (int round = 1; round <= ROUNDS && !what.equals("index"); round++) {
      latency(round);
      throughput(round, clients);
    }
    for (int round = 1; round <= ROUNDS && !what.equals("changes"); round++) {
      backfill(round, rows);
    }
    for (Node node : nodes) {
      node.coordinator.close();
      node.schema.close();
    }
  }

  private static Node start(String id, String url) throws InterruptedException {
    SystemRuntime runtime = new SystemRuntime(1, (task, cause) -> cause.printStackTrace());
    JetcdEtcd etcd = new JetcdEtcd(List.of(url));
    etcd.warmUp(LONG);
    EtcdStore store = new EtcdStore(runtime, etcd, id);
    Failpoints failpoints = new Failpoints(runtime, () -> {});
    NodeContext context = new NodeContext(id, runtime, etcd, store, failpoints);
    SchemaService schema =
        new SchemaService(context, SchemaConfig.of(TTL, Modes.CORRECT.schema()));
    Coordinator coordinator =
        new Coordinator(new Coordinator.Parts(context, noIds(), Modes.CORRECT.coordinator()));
    schema.start("{}");
    coordinator.start(
        new OwnerConfig(OwnerRole.DDL, id, id + ":1", TTL, Modes.CORRECT.ddlOwner()));
    schema.awaitReady(LONG);
    return new Node(store, schema, coordinator);
  }

  private void latency(int round) throws Exception {
    long before = nodes.get(0).store.begin().snapshotRevision();
    long[] nanos = new long[CREATES];
    for (int i = 0; i < CREATES; i++) {
      long start = System.nanoTime();
      nodes.get(i % nodes.size()).coordinator.execute(create("t" + tables++));
      nanos[i] = System.nanoTime() - start;
    }
    Arrays.sort(nanos);
    long writes = nodes.get(0).store.begin().snapshotRevision() - before;
    System.out.printf(
        "round %d: create table p50 %.1f ms, p90 %.1f ms, %.1f writes to etcd each%n",
        round,
        nanos[CREATES / 2] / 1e6,
        nanos[CREATES * 9 / 10] / 1e6,
        (double) writes / CREATES);
  }

  private void throughput(int round, int clients) throws Exception {
    long start = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      Coordinator coordinator = nodes.get(i % nodes.size()).coordinator;
      String prefix = "c" + round + "_" + i + "_";
      Thread thread = new Thread(() -> createAndDrop(coordinator, prefix));
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf(
        "round %d: %.1f schema changes/s with %d clients%n",
        round, clients * CREATES / seconds, clients);
  }

  private static void createAndDrop(Coordinator coordinator, String prefix) {
    try {
      for (int i = 0; i < CREATES / 2; i++) {
        coordinator.execute(create(prefix + i));
        coordinator.execute(new DdlStatement.DropTable(DB, prefix + i, false));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void backfill(int round, int rows) throws Exception {
    Coordinator coordinator = nodes.get(0).coordinator;
    String name = "filled" + round;
    coordinator.execute(create(name));
    TableInfo table =
        nodes.get(0).schema.status().latest().orElseThrow().table(DB, name).orElseThrow();
    for (int first = 0; first < rows; first += 2_000) {
      insert(table, first, Math.min(2_000, rows - first));
    }
    for (boolean unique : new boolean[] {false, true}) {
      long start = System.nanoTime();
      long own = ownNanos();
      long etcdBefore = etcdNanos();
      coordinator.execute(
          new DdlStatement.AddIndex(DB, name, "i" + unique, List.of("v"), unique));
      double seconds = (System.nanoTime() - start) / 1e9;
      System.out.printf(
          "round %d: add %s index: %,.0f rows/s over %,d rows; processor time per row: nodes %.1f us,"
              + " etcd %.1f us%n",
          round,
          unique ? "unique" : "plain",
          rows / seconds,
          rows,
          (ownNanos() - own) / 1e3 / rows,
          (etcdNanos() - etcdBefore) / 1e3 / rows);
    }
  }

  /** Processor time of the nodes so far: what a busy machine does not distort. */
  private static long ownNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private long etcdNanos() {
    return etcd.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }

  private void insert(TableInfo table, int first, int count) throws InterruptedException {
    StoreTxn txn = nodes.get(0).store.begin();
    for (long id = first; id < first + count; id++) {
      Row row = new Row();
      row.set(table.columns().get(0), id);
      row.set(table.columns().get(1), id);
      txn.put(Keys.row(table.id(), Keys.encode(List.of(id))), RowJson.write(table, row));
    }
    if (!(txn.commit() instanceof CommitResult.Committed)) {
      throw new IllegalStateException("rows not inserted");
    }
  }

  private static DdlStatement create(String name) {
    List<Column> columns = List.of(column(1, "id"), column(2, "v"));
    return new DdlStatement.CreateTable(
        new TableInfo(
            0, DB, name, columns, List.of("id"), List.of(), 0, 0, 2, 0, SchemaState.PUBLIC),
        false);
  }

  private static Column column(int id, String name) {
    ColumnType type = new ColumnType(ColumnType.Kind.BIGINT, false, 0);
    return new Column(id, name, type, true, null, false, SchemaState.PUBLIC);
  }

  /** The measured tables draw no ids. */
  private static IdService noIds() {
    return new IdService() {
      @Override
      public AllocResult alloc(long tableId, int n, Spacing spacing, boolean unsigned) {
        return new AllocResult.Unavailable("not in this measurement");
      }

      @Override
      public RebaseResult rebase(long tableId, long base, boolean force, boolean unsigned) {
        return new RebaseResult.Unavailable("not in this measurement");
      }
    };
  }

  private static Process startEtcd(Path folder, String client, String peer) throws Exception {
    return new ProcessBuilder(
            "etcd", "--name", "n1",
            "--data-dir", folder.resolve("data").toString(),
            "--listen-client-urls", client,
            "--advertise-client-urls", client,
            "--listen-peer-urls", peer,
            "--initial-advertise-peer-urls", peer,
            "--initial-cluster", "n1=" + peer,
            "--max-txn-ops", "10000",
            "--logger", "zap")
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("etcd.log").toFile())
        .start();
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
      return socket.getLocalPort();
    }
  }

  private static void delete(Path folder) throws Exception {
    try (Stream<Path> paths = Files.walk(folder)) {
      paths.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    }
  }
}
