package interregnum.schema;

import interregnum.etcd.KeyRange;
import interregnum.etcd.KeyValue;
import interregnum.runtime.Outcome;
import interregnum.runtime.Signal;
import interregnum.schema.NodeSession.Membership;
import interregnum.store.StoreTxn;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A node's knowledge of the schema: joins the cluster, loads versions, lends tables to transactions
 * and reports to the owner. Any task may use it between {@link #start} and {@link #close}.
 */
public final class SchemaService {
  private static final Duration LEASE_WAIT = Duration.ofMillis(500);

  private final NodeContext context;
  private final SchemaConfig config;
  private final SchemaCache cache = new SchemaCache();
  private final TablePins pins;
  private final JobReporter reporter;
  private final SchemaLoader loader;
  private final NodeSession session;

  public SchemaService(NodeContext context, SchemaConfig config) {
    this.context = context;
    this.config = config;
    Signal wakeReporter = new Signal(context.runtime(), "report-wanted");
    this.pins = new TablePins(context.runtime(), this::released);
    this.reporter = new JobReporter(context, config, pins, wakeReporter);
    this.loader = new SchemaLoader(context, config, cache, reporter);
    this.session = new NodeSession(context, config, loader::reload);
  }

  private void released() {
    reporter.released();
  }

  /**
   * Joins the cluster and begins to load.
   *
   * @param info what other nodes are told of this one, as JSON
   */
  public void start(String info) {
    loader.start();
    reporter.start();
    session.start(info);
  }

  /** Waits until the node may serve statements; false if it may not by then. */
  public boolean awaitReady(Duration limit) throws InterruptedException {
    long deadline = context.runtime().nanoTime() + limit.toNanos();
    while (context.runtime().nanoTime() - deadline < 0) {
      if (isReady()) {
        return true;
      }
      loader.reload(LEASE_WAIT);
    }
    return isReady();
  }

  private boolean isReady() {
    return membership().map(Membership::holds).orElse(false) && cache.state().latest().isPresent();
  }

  /** Leaves the cluster, so that the owner no longer waits for this node. */
  public void close() throws InterruptedException {
    session.close();
    loader.close();
    reporter.close();
  }

  /** What the live nodes tell of themselves, as JSON, by node. */
  public Outcome<List<String>> liveNodes(Duration timeout) throws InterruptedException {
    return context.etcd()
        .range(KeyRange.prefix(SchemaKeys.NODES), timeout)
        .map(read -> read.value().stream().map(KeyValue::value).toList());
  }

  /** The tables as {@code txn}, which has just begun, is to see them. */
  public SchemaView view(StoreTxn txn) {
    return new SchemaView(context, config.modes(), this, txn, pins);
  }

  /** What the node knows at this moment. */
  public Status status() {
    SchemaCache.State state = cache.state();
    return new Status(
        state.latest(),
        state.emptyVersions(),
        loader.leaseHolds() && membership().map(Membership::holds).orElse(false));
  }

  /**
   * What a node knows.
   *
   * @param emptyVersions versions that it stepped over because they had no diff
   * @param serving whether it may use what it knows
   */
  public record Status(
      Optional<SchemaSnapshot> latest, Set<Long> emptyVersions, boolean serving) {}

  Optional<Membership> membership() {
    return session.membership();
  }

  SchemaCache.State cacheState() {
    return cache.state();
  }

  /** Whether the lease holds, if need be after a reload. */
  boolean awaitLease() throws InterruptedException {
    if (!loader.leaseHolds()) {
      loader.reload(LEASE_WAIT);
    }
    return loader.leaseHolds();
  }
}
