package interregnum.etcd;

import interregnum.runtime.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The part of etcd that nodes use. Every call ends within its {@code timeout}; one that ran out of
 * time is {@link Outcome.Unknown} if it could have written, {@link Outcome.Failed} if it only read.
 */
public interface Etcd extends AutoCloseable {

  /** A key's value, or empty; linearizable. */
  Outcome<Read<Optional<KeyValue>>> get(String key, Duration timeout) throws InterruptedException;

  /** The keys of {@code range} in key order. */
  Outcome<Read<List<KeyValue>>> range(KeyRange range, Duration timeout)
      throws InterruptedException;

  /** Writes a key, bound to {@code leaseId} unless that is 0; gives the new revision. */
  Outcome<Long> put(String key, String value, long leaseId, Duration timeout)
      throws InterruptedException;

  /** Runs a transaction: all compares hold and all writes happen, or none. */
  Outcome<TxnReply> txn(TxnRequest request, Duration timeout) throws InterruptedException;

  /** A new lease of at least {@code ttl}, rounded up to whole seconds; gives its id. */
  Outcome<Long> grantLease(Duration ttl, Duration timeout) throws InterruptedException;

  /** Renews a lease once; gives its new time to live, zero if the lease is gone. */
  Outcome<Duration> keepAlive(long leaseId, Duration timeout) throws InterruptedException;

  /** Ends a lease and deletes its keys. */
  Outcome<Boolean> revokeLease(long leaseId, Duration timeout) throws InterruptedException;

  /**
   * Watches the keys that begin with {@code prefix} from {@code fromRevision} on. Events arrive in
   * the watch's mailbox in revision order; the last one is always {@link WatchEvent.Ended}.
   */
  Watch watch(String prefix, long fromRevision);

  @Override
  void close();
}
