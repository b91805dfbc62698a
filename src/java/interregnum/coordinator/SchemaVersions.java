package interregnum.coordinator;

import interregnum.schema.JsonText;
import interregnum.schema.SchemaDiff;
import interregnum.schema.SchemaKeys;
import interregnum.store.CommitResult;
import interregnum.store.StoreTxn;
import interregnum.store.StoreUnavailableException;
import interregnum.store.Transactions;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives out schema versions, and writes the diffs that go with them. */
final class SchemaVersions {
  private static final Logger LOG = LoggerFactory.getLogger(SchemaVersions.class);
  private static final int ATTEMPTS = 100;
  private static final long SEALED_MAX = 1_000;

  private final Reign reign;

  SchemaVersions(Reign reign) {
    this.reign = reign;
  }

  /**
   * Takes the next version for a step of {@code job} and writes its diff into the step's
   * transaction.
   */
  long next(StoreTxn txn, DdlJob job) throws InterruptedException {
    long version =
        reign.modes().version() == CoordinatorModes.Version.WITH_THE_DIFF
            ? increment(txn)
            : takeBeforehand();
    String[] labels = job.labels(reign.node().label());
    reign.node().failpoints().hit("afterVersionAlloc", labels);
    SchemaDiff diff =
        new SchemaDiff(version, job.type(), job.id(), job.tableKeys(), reign.term().number());
    txn.put(SchemaKeys.diff(version), JsonText.write(diff));
    return version;
  }

  private static long increment(StoreTxn txn) throws InterruptedException {
    long version = current(txn) + 1;
    txn.put(SchemaKeys.VERSION, Long.toString(version));
    return version;
  }

  private static long current(StoreTxn txn) throws InterruptedException {
    return txn.get(SchemaKeys.VERSION).map(Long::parseLong).orElse(0L);
  }

  private long takeBeforehand() throws InterruptedException {
    Transactions.Ended<Long> ended = transactions().run(SchemaVersions::increment);
    if (!ended.isCommitted()) {
      throw new StoreUnavailableException("no schema version: " + ended.result());
    }
    return ended.value();
  }

  private Transactions transactions() {
    return new Transactions(reign.node().runtime(), reign.node().store(), ATTEMPTS);
  }

  /** Writes empty diffs for the versions that have none; false if that was not possible. */
  boolean seal() throws InterruptedException {
    if (reign.modes().sealing() == CoordinatorModes.Sealing.NONE) {
      return true;
    }
    Transactions.Ended<Set<Long>> ended = transactions().run(this::sealIn);
    if (ended.result() instanceof CommitResult.Fenced) {
      reign.depose();
    }
    LOG.info("schema-versions-sealed owner={} versions={}", reign.owner(), ended.value());
    return ended.isCommitted();
  }

  private Set<Long> sealIn(StoreTxn txn) throws InterruptedException {
    long last = current(txn);
    long first = Math.max(1, last - SEALED_MAX + 1);
    Set<Long> missing = new TreeSet<>();
    for (long version = first; version <= last; version++) {
      missing.add(version);
    }
    for (StoreTxn.Entry entry :
        txn.scan(SchemaKeys.diff(first), SchemaKeys.diff(last + 1), 0)) {
      missing.remove(JsonText.read(entry.value(), SchemaDiff.class).version());
    }
    for (long version : missing) {
      SchemaDiff diff =
          new SchemaDiff(version, "seal", 0, List.of(), reign.term().number());
      txn.putNew(SchemaKeys.diff(version), JsonText.write(diff));
    }
    reign.fence(txn);
    return missing;
  }
}
