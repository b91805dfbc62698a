package interregnum.server;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import interregnum.allocator.ClientOptions;
import interregnum.allocator.LeaderClient;
import interregnum.allocator.LeaderOptions;
import interregnum.allocator.LeaderService;
import interregnum.coordinator.Coordinator;
import interregnum.defect.Defects;
import interregnum.defect.Modes;
import interregnum.etcd.JetcdEtcd;
import interregnum.failpoint.Failpoints;
import interregnum.owner.Leader;
import interregnum.owner.OwnerConfig;
import interregnum.owner.OwnerDirectory;
import interregnum.owner.OwnerModes;
import interregnum.owner.OwnerRole;
import interregnum.owner.Ownership;
import interregnum.runtime.FailureHandler;
import interregnum.runtime.Outcome;
import interregnum.runtime.SystemRuntime;
import interregnum.schema.NodeContext;
import interregnum.schema.SchemaConfig;
import interregnum.schema.SchemaService;
import interregnum.server.http.StatusServer;
import interregnum.server.mysql.MysqlServer;
import interregnum.sql.ClusterCatalog;
import interregnum.sql.exec.ClusterAdmin;
import interregnum.sql.exec.SqlEngine;
import interregnum.store.EtcdStore;
import interregnum.transport.GrpcServer;
import interregnum.transport.GrpcTransport;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node: all its services, wired. One thread starts it, one closes it. */
final class Node implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Node.class);
  private static final int CRASHED = 137;
  private static final int CLOSE_STUCK = 255;
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);
  private static final Duration LOOK_UP_LIMIT = Duration.ofSeconds(1);

  private final NodeOptions options;
  private final Modes modes;
  private final SystemRuntime runtime;
  private final long startedNanos;
  private final Failpoints failpoints;
  private final JetcdEtcd etcd;
  private final OwnerDirectory directory;
  private final GrpcTransport transport = new GrpcTransport();
  private final AtomicReference<Ownership> autoid = new AtomicReference<>();
  private final LeaderService leaderService;
  private final NodeContext context;
  private final SchemaService schema;
  private final Coordinator coordinator;
  private final SqlEngine engine;
  private volatile boolean standing;
  private GrpcServer peers;
  private MysqlServer sql;
  private StatusServer status;

  Node(NodeOptions options, FailureHandler failureHandler) {
    this.options = options;
    modes = Defects.modes(options.defects());
    runtime = new SystemRuntime(options.seed(), failureHandler);
    startedNanos = runtime.nanoTime();
    failpoints = new Failpoints(runtime, () -> Runtime.getRuntime().halt(CRASHED));
    etcd = new JetcdEtcd(options.etcd());
    EtcdStore store = new EtcdStore(runtime, etcd, options.id());
    directory = new OwnerDirectory(etcd);
    leaderService =
        new LeaderService(
            runtime,
            store,
            failpoints,
            () -> Optional.ofNullable(autoid.get()).flatMap(Ownership::term),
            new LeaderOptions(options.id(), options.idStep(), modes.allocator()));
    LeaderClient ids =
        new LeaderClient(
            runtime, transport, this::leaderAddress, options.id(), ClientOptions.DEFAULT);
    context = new NodeContext(options.id(), runtime, etcd, store, failpoints);
    schema = new SchemaService(context, SchemaConfig.of(options.sessionTtl(), modes.schema()));
    coordinator = new Coordinator(new Coordinator.Parts(context, ids, modes.coordinator()));
    engine =
        new SqlEngine(
            options.id(),
            runtime,
            new SqlEngine.Parts(store,
            new ClusterCatalog(schema, coordinator),
            ids,
            new ClusterAdmin(options.id(), store, schema, coordinator, directory),
            modes.sql()));
  }

  private Outcome<Optional<String>> leaderAddress() throws InterruptedException {
    return directory.leader(OwnerRole.AUTOID, LOOK_UP_LIMIT).map(l -> l.map(Leader::address));
  }

  /**
   * Starts everything; returns once clients are served.
   *
   * @throws IOException if a port cannot be had or etcd does not answer; the message is for people
   */
  void start() throws IOException, InterruptedException {
    LOG.info(
        "node-starts id={} version={} seed={} defects={} etcd={}",
        options.id(), NodeVersion.VERSION, options.seed(), options.defects(), options.etcd());
    AtomicReference<Outcome<Long>> reached = new AtomicReference<>();
    Thread warmUp = new Thread(() -> reached.set(reachEtcd()), "etcd-warm-up");
    warmUp.setDaemon(true);
    warmUp.start();
    try {
      options.failpoints().forEach(failpoints::arm);
      bind();
    } catch (IOException | IllegalArgumentException e) {
      closeServers();
      throw e;
    }
    warmUp.join();
    if (!(reached.get() instanceof Outcome.Done<Long>)) {
      closeServers();
      throw new IOException(
          "no answer from etcd at " + options.etcd() + " within "
              + options.etcdWait().toSeconds() + " s");
    }
    standing = true;
    autoid.get().start();
    schema.start(entry());
    coordinator.start(candidacy(OwnerRole.DDL, modes.ddlOwner()));
    status.start();
    if (!schema.awaitReady(options.etcdWait())) {
      throw new IOException("the schema was not loaded in time");
    }
    sql.start();
    LOG.info(
        "node-serves id={} sql={} status={} peer={} afterMs={}",
        options.id(), sql.port(), status.port(), peers.port(), uptime().toMillis());
    engine.warmUp();
  }

  private Outcome<Long> reachEtcd() {
    try {
      return etcd.warmUp(options.etcdWait());
    } catch (InterruptedException e) {
      return Outcome.failed("interrupted");
    }
  }

  private void bind() throws IOException {
    String host = options.listen();
    peers =
        bound(
            "--peer-port",
            options.peerPort(),
            port -> new GrpcServer(host, port, leaderService.handlers()));
    sql =
        bound(
            "--sql-port",
            options.sqlPort(),
            port -> new MysqlServer(host, port, engine, engine.version(), runtime));
    status =
        bound(
            "--status-port",
            options.statusPort(),
            port -> new StatusServer(host, port, new StatusRoutes(this).all()));
    OwnerConfig candidacy = candidacy(OwnerRole.AUTOID, modes.autoidOwner());
    autoid.set(new Ownership(runtime, etcd, failpoints, candidacy, leaderService));
  }

  /** Opens something that listens on a port. */
  @FunctionalInterface
  private interface Binding<T> {
    T open(int port) throws IOException;
  }

  private <T> T bound(String flag, int port, Binding<T> binding) throws IOException {
    try {
      return binding.open(port);
    } catch (IOException e) {
      throw new IOException(
          "cannot listen on " + options.listen() + ":" + port + " (" + flag + "): "
              + e.getMessage());
    }
  }

  private OwnerConfig candidacy(OwnerRole role, OwnerModes ownerModes) {
    String address = options.advertise() + ":" + peers.port();
    return new OwnerConfig(role, options.id(), address, options.sessionTtl(), ownerModes);
  }

  private String entry() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("id", options.id())
        .put("sql", options.advertise() + ":" + sql.port())
        .put("status", options.advertise() + ":" + status.port())
        .put("peer", options.advertise() + ":" + peers.port())
        .put("version", NodeVersion.VERSION)
        .put("startedMs", runtime.wallTimeMillis())
        .toString();
  }

  NodeOptions options() {
    return options;
  }

  Failpoints failpoints() {
    return failpoints;
  }

  OwnerDirectory directory() {
    return directory;
  }

  Ownership autoidOwnership() {
    return autoid.get();
  }

  NodeContext context() {
    return context;
  }

  SchemaService schema() {
    return schema;
  }

  Coordinator coordinator() {
    return coordinator;
  }

  LeaderService leaderService() {
    return leaderService;
  }

  int connections() {
    return sql.connections();
  }

  Duration uptime() {
    return Duration.ofNanos(runtime.nanoTime() - startedNanos);
  }

  /**
   * Stops in the order in which others depend on it: clients are told, the id service ends, leases
   * are revoked so that successors need not wait for them. May be called while the node starts.
   */
  @Override
  public void close() {
    LOG.info("node-stops id={}", options.id());
    Thread watchdog = new Thread(this::haltIfStuck, "shutdown-watchdog");
    watchdog.setDaemon(true);
    watchdog.start();
    closeServers();
    if (!standing) {
      return;
    }
    try {
      leaderService.stop();
      autoid.get().close();
      coordinator.close();
      schema.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    peers.close();
    transport.close();
    etcd.close();
    LOG.info("node-stopped id={}", options.id());
  }

  private void closeServers() {
    if (sql != null) {
      sql.close();
    }
    if (status != null) {
      status.close();
    }
  }

  private void haltIfStuck() {
    try {
      Thread.sleep(CLOSE_LIMIT.toMillis());
    } catch (InterruptedException e) {
      return;
    }
    LOG.error("node-stop-stuck id={}", options.id());
    Runtime.getRuntime().halt(CLOSE_STUCK);
  }
}
