package interregnum.schema;

import interregnum.failpoint.FailpointException;
import interregnum.schema.SchemaModes.Holes;
import interregnum.schema.SchemaModes.Removals;
import interregnum.store.StoreTxn;
import interregnum.table.Keys;
import interregnum.table.TableInfo;
import interregnum.table.TableJson;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One reload: reads, in one transaction, what has changed since the version that the node knows,
 * diff by diff or everything at once.
 */
final class TableChanges {
  private static final Logger LOG = LoggerFactory.getLogger(TableChanges.class);
  private static final long AWAIT_NANOS = Duration.ofSeconds(2).toNanos();

  private final NodeContext context;
  private final SchemaConfig config;
  private final StoreTxn txn;
  private final Set<Long> empty;
  private final Map<Long, Long> missingSince;

  /**
   * @param empty versions that had no diff in earlier reloads
   * @param missingSince when versions were first awaited, in monotonic nanoseconds; updated here
   */
  TableChanges(
      NodeContext context,
      SchemaConfig config,
      StoreTxn txn,
      Set<Long> empty,
      Map<Long, Long> missingSince) {
    this.context = context;
    this.config = config;
    this.txn = txn;
    this.empty = new TreeSet<>(empty);
    this.missingSince = missingSince;
  }

  /** The versions that had no diff, those found by this reload included. */
  Set<Long> emptyVersions() {
    return empty;
  }

  /** The snapshot after {@code current}; the same object if there is nothing new. */
  SchemaSnapshot after(Optional<SchemaSnapshot> current) throws InterruptedException {
    long stored = txn.get(SchemaKeys.VERSION).map(Long::parseLong).orElse(0L);
    context.failpoints().hit("afterReadVersion", context.label());
    TreeMap<Long, SchemaDiff> diffs = diffs(current, stored);
    long needed = needed(stored, current, diffs);
    boolean late = current.isPresent() && config.modes().holes() != Holes.SKIPPED && foundLate();
    if (current.isEmpty() || late || needed - current.get().version() > config.diffsMax()) {
      return loadAll(needed);
    }
    if (needed <= current.get().version()) {
      return current.get();
    }
    return apply(current.get(), needed, diffs);
  }

  private TreeMap<Long, SchemaDiff> diffs(Optional<SchemaSnapshot> current, long stored)
      throws InterruptedException {
    TreeMap<Long, SchemaDiff> diffs = new TreeMap<>();
    long known = current.map(SchemaSnapshot::version).orElse(stored - 1);
    if (stored - known > config.diffsMax()) {
      known = stored - 1;
    }
    for (StoreTxn.Entry entry :
        txn.scan(SchemaKeys.diff(known + 1), SchemaKeys.diff(stored + 1), 0)) {
      SchemaDiff diff = JsonText.read(entry.value(), SchemaDiff.class);
      if (!isMissing(diff)) {
        diffs.put(diff.version(), diff);
      }
    }
    return diffs;
  }

  private boolean isMissing(SchemaDiff diff) throws InterruptedException {
    try {
      context
          .failpoints()
          .hit("diffMissing", context.label(), "version=" + diff.version(), "job=" + diff.jobId());
      return false;
    } catch (FailpointException e) {
      return true;
    }
  }

  /**
   * The version to go to. The latest one may have been given out by a transaction that has not
   * written its diff yet, so without a diff it is left for the next reload.
   */
  private long needed(
      long stored, Optional<SchemaSnapshot> current, TreeMap<Long, SchemaDiff> diffs) {
    long known = current.map(SchemaSnapshot::version).orElse(0L);
    if (config.modes().holes() == Holes.AWAITED && current.isPresent()) {
      long version = known;
      while (version < stored && (diffs.containsKey(version + 1) || isGivenUp(version + 1))) {
        version++;
      }
      return version;
    }
    return stored > known && !diffs.containsKey(stored) ? stored - 1 : stored;
  }

  private boolean isGivenUp(long version) {
    long now = context.runtime().nanoTime();
    return now - missingSince.computeIfAbsent(version, v -> now) > AWAIT_NANOS;
  }

  /** Whether a version that had no diff has one by now. */
  private boolean foundLate() throws InterruptedException {
    boolean found = false;
    for (long version : Set.copyOf(empty)) {
      if (txn.get(SchemaKeys.diff(version)).isPresent()) {
        LOG.warn("schema-diff-late node={} version={}", context.nodeId(), version);
        empty.remove(version);
        found = true;
      }
    }
    return found;
  }

  private SchemaSnapshot loadAll(long version) throws InterruptedException {
    context.failpoints().hit("slowFullLoad", context.label());
    TreeMap<String, TableInfo> tables = new TreeMap<>();
    for (StoreTxn.Entry entry : txn.scan(Keys.TABLES, Keys.end(Keys.TABLES), 0)) {
      tables.put(entry.key(), TableJson.read(entry.value()));
    }
    LOG.info(
        "schema-loaded node={} version={} tables={}", context.nodeId(), version, tables.size());
    return new SchemaSnapshot(version, txn.snapshotRevision(), tables);
  }

  private SchemaSnapshot apply(
      SchemaSnapshot current, long needed, TreeMap<Long, SchemaDiff> diffs)
      throws InterruptedException {
    Map<String, TableInfo> tables = new TreeMap<>(current.tables());
    for (long version = current.version() + 1; version <= needed; version++) {
      SchemaDiff diff = diffs.get(version);
      if (diff == null) {
        LOG.info("schema-diff-empty node={} version={}", context.nodeId(), version);
        empty.add(version);
        continue;
      }
      context.failpoints().hit("beforeApplyDiff", context.label(), "version=" + version);
      for (String key : diff.keys()) {
        Optional<TableInfo> table = txn.get(key).map(TableJson::read);
        if (table.filter(t -> t.state().isPublic()).isPresent()) {
          tables.put(key, table.get());
        } else if (config.modes().removals() == Removals.APPLIED) {
          table.ifPresentOrElse(t -> tables.put(key, t), () -> tables.remove(key));
        }
      }
    }
    return new SchemaSnapshot(needed, txn.snapshotRevision(), tables);
  }
}
