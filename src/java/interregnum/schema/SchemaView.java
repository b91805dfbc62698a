package interregnum.schema;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.failpoint.FailpointException;
import interregnum.schema.NodeSession.Membership;
import interregnum.schema.SchemaModes.Fencing;
import interregnum.schema.SchemaModes.MetadataLock;
import interregnum.store.CommitResult;
import interregnum.store.StoreTxn;
import interregnum.table.Keys;
import interregnum.table.TableInfo;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The tables as one transaction sees them: each as it was known when the transaction's snapshot was
 * taken. Used by one task, which closes it when the transaction has ended.
 *
 * <p>A table that has changed between the snapshot and its first use cannot be used: the node may
 * have told the owner already that nobody here needs the older definition.
 */
public final class SchemaView implements AutoCloseable {
  private final NodeContext context;
  private final SchemaModes modes;
  private final SchemaService service;
  private final StoreTxn txn;
  private final TablePins pins;
  private final long id;
  private final Optional<Membership> membership;
  private final Optional<SchemaSnapshot> snapshot;
  private final Map<String, TableInfo> used = new TreeMap<>();

  SchemaView(
      NodeContext context, SchemaModes modes, SchemaService service, StoreTxn txn, TablePins pins) {
    this.context = context;
    this.modes = modes;
    this.service = service;
    this.txn = txn;
    this.pins = pins;
    this.id = pins.open();
    this.membership = service.membership();
    this.snapshot = service.cacheState().asOf(txn.snapshotRevision());
  }

  /**
   * A table's definition; the transaction holds it from now on.
   *
   * @throws SqlException 8027 if the node may be out of date, 8028 if the table has just changed
   */
  public Optional<TableInfo> table(String database, String name) throws InterruptedException {
    requireFresh();
    TableInfo known = used.get(Keys.table(database, name));
    if (known != null) {
      return Optional.of(known);
    }
    pins.mutex().lock();
    try {
      Optional<TableInfo> table =
          snapshot.orElseThrow(SchemaView::expired).table(database, name);
      SchemaSnapshot latest = service.cacheState().latest().orElseThrow(SchemaView::expired);
      if (!table.equals(latest.table(database, name))) {
        throw changed(database, name);
      }
      table.ifPresent(
          t -> {
            used.put(Keys.table(database, name), t);
            if (modes.lock() == MetadataLock.ON) {
              pins.pin(id, t.id(), latest.version());
            }
          });
      return table;
    } finally {
      pins.mutex().unlock();
    }
  }

  /** The names of a database's tables, in order. */
  public List<String> names(String database) throws InterruptedException {
    requireFresh();
    return snapshot.orElseThrow(SchemaView::expired).names(database);
  }

  /** Throws unless the owner still waits for this node, and the node has looked recently. */
  private void requireFresh() throws InterruptedException {
    if (modes.fencing() == Fencing.SESSION) {
      boolean holds = membership.isPresent() && membership.get().holds();
      if (!holds || !service.awaitLease()) {
        throw expired();
      }
    }
  }

  /**
   * Prepares the transaction's commit.
   *
   * @throws SqlException if the tables it used may not be written through any more
   */
  public void beforeCommit() throws InterruptedException {
    requireFresh();
    if (modes.lock() == MetadataLock.OFF) {
      requireUnchanged();
    }
    context.failpoints().hit("afterSchemaCheck", labels());
    if (modes.fencing() == Fencing.SESSION) {
      txn.require(membership.orElseThrow(SchemaView::expired).fence());
    }
    context.failpoints().hit("beforeKvCommit", labels());
  }

  /** What the session is to believe of its commit: the truth, unless a failpoint hides it. */
  public CommitResult afterCommit(CommitResult result) throws InterruptedException {
    try {
      context.failpoints().hit("kvCommitUnknown", labels());
      return result;
    } catch (FailpointException e) {
      return new CommitResult.Unknown(e.getMessage());
    }
  }

  private void requireUnchanged() {
    SchemaSnapshot latest = service.cacheState().latest().orElseThrow(SchemaView::expired);
    for (Map.Entry<String, TableInfo> entry : used.entrySet()) {
      if (!entry.getValue().equals(latest.tables().get(entry.getKey()))) {
        throw changed(entry.getValue().database(), entry.getValue().name());
      }
    }
  }

  private String[] labels() {
    String table = used.values().stream().findFirst().map(TableInfo::name).orElse("");
    return new String[] {context.label(), "table=" + table};
  }

  private static SqlException changed(String database, String name) {
    return SqlError.SCHEMA_CHANGED.with(
        "Information schema is changed during the execution of the statement"
            + " (table '%s.%s'). [try again later]",
        database, name);
  }

  private static SqlException expired() {
    return SqlError.SCHEMA_EXPIRED.with("Information schema is out of date");
  }

  @Override
  public void close() {
    pins.release(id);
  }
}
