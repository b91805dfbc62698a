package interregnum.schema;

import interregnum.etcd.Mirror;
import interregnum.failpoint.FailpointException;
import interregnum.runtime.Signal;
import interregnum.runtime.Task;
import interregnum.store.StoreTxn;
import interregnum.store.StoreUnavailableException;
import interregnum.table.Keys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads new schema versions: when one is published, when asked to, and at least every half lease.
 * One task does all reloads; any task may ask for one and wait for it.
 */
final class SchemaLoader {
  private static final Logger LOG = LoggerFactory.getLogger(SchemaLoader.class);
  private static final Duration RETRY = Duration.ofMillis(100);

  private final NodeContext context;
  private final SchemaConfig config;
  private final SchemaCache cache;
  private final JobReporter reporter;
  private final Signal wanted;
  private final Signal reloaded;
  private final Mirror published;
  private final Map<Long, Long> missingSince = new TreeMap<>();
  private volatile long leaseEndNanos;

  /** The last request that a reload, begun after it, has answered. */
  private volatile long served;

  private Task task;

  SchemaLoader(
      NodeContext context, SchemaConfig config, SchemaCache cache, JobReporter reporter) {
    this.context = context;
    this.config = config;
    this.cache = cache;
    this.reporter = reporter;
    this.wanted = new Signal(context.runtime(), "reload-wanted");
    this.reloaded = new Signal(context.runtime(), "reloaded");
    this.leaseEndNanos = context.runtime().nanoTime();
    this.published =
        new Mirror(context.runtime(), context.etcd(), SchemaKeys.PUBLISHED, wanted::raise);
  }

  void start() {
    task = context.runtime().spawn("schema-loader-" + context.nodeId(), this::run);
    published.start();
  }

  void close() {
    published.close();
    if (task != null) {
      task.cancel();
    }
  }

  /** Whether the last look at the store is recent enough. */
  boolean leaseHolds() {
    return context.runtime().nanoTime() - leaseEndNanos < 0;
  }

  /** Asks for a reload that begins after this call; false if none has ended within the limit. */
  boolean reload(Duration limit) throws InterruptedException {
    long deadline = context.runtime().nanoTime() + limit.toNanos();
    long request = wanted.raise();
    while (true) {
      long seen = reloaded.count();
      long left = deadline - context.runtime().nanoTime();
      if (served >= request || left <= 0) {
        return served >= request;
      }
      reloaded.await(seen, Duration.ofNanos(left));
    }
  }

  private void run() throws InterruptedException {
    long seen = 0;
    while (true) {
      boolean asked = wanted.await(seen, config.lease().dividedBy(2));
      seen = wanted.count();
      if (!asked && skipsTick()) {
        continue;
      }
      if (tryReload()) {
        served = seen;
        reloaded.raise();
      } else {
        context.runtime().sleep(RETRY);
        wanted.raise();
      }
    }
  }

  private boolean skipsTick() throws InterruptedException {
    try {
      context.failpoints().hit("skipTickReload", context.label());
      return false;
    } catch (FailpointException e) {
      return true;
    }
  }

  private boolean tryReload() throws InterruptedException {
    try {
      reloadOnce();
      return true;
    } catch (StoreUnavailableException | FailpointException e) {
      LOG.warn("schema-reload-failed node={} cause={}", context.nodeId(), e.getMessage());
      return false;
    }
  }

  private void reloadOnce() throws InterruptedException {
    context.failpoints().hit("beforeReload", context.label());
    long start = context.runtime().nanoTime();
    StoreTxn txn = context.store().begin();
    SchemaCache.State state = cache.state();
    Optional<SchemaSnapshot> current = state.latest();
    TableChanges changes =
        new TableChanges(context, config, txn, state.emptyVersions(), missingSince);
    SchemaSnapshot next = changes.after(current);
    List<MdlRow> rows = new ArrayList<>();
    for (StoreTxn.Entry entry :
        txn.scan(SchemaKeys.MDL_ROWS, Keys.end(SchemaKeys.MDL_ROWS), 0)) {
      rows.add(JsonText.read(entry.value(), MdlRow.class));
    }
    if (current.isEmpty() || next != current.get()) {
      cache.add(next, changes.emptyVersions());
    }
    leaseEndNanos = start + config.lease().toNanos();
    reporter.loaded(next.version(), rows);
  }
}
