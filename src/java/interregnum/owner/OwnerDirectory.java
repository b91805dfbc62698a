package interregnum.owner;

import interregnum.etcd.Etcd;
import interregnum.etcd.KeyRange;
import interregnum.etcd.KeyValue;
import interregnum.runtime.Outcome;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;

/** Tells any node who holds an election. */
public final class OwnerDirectory {
  private final Etcd etcd;

  public OwnerDirectory(Etcd etcd) {
    this.etcd = etcd;
  }

  /** The oldest candidate, or empty if there is none. It may not have begun to reign yet. */
  public Outcome<Optional<Leader>> leader(OwnerRole role, Duration timeout)
      throws InterruptedException {
    return etcd.range(KeyRange.prefix(role.prefix()), timeout)
        .map(
            read ->
                read.value().stream()
                    .min(Comparator.comparingLong(KeyValue::createRevision))
                    .map(Leader::of));
  }
}
