package interregnum.owner;

import interregnum.etcd.Etcd;
import interregnum.etcd.KeyRange;
import interregnum.etcd.KeyValue;
import interregnum.etcd.Read;
import interregnum.etcd.TxnReply;
import interregnum.etcd.TxnRequest;
import interregnum.etcd.TxnRequest.Compare;
import interregnum.etcd.TxnRequest.Write;
import interregnum.etcd.Watch;
import interregnum.etcd.WatchEvent;
import interregnum.runtime.Outcome;
import interregnum.runtime.Runtime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One session's way to the head of an election's queue.
 *
 * <p>The candidate key is named after the lease and bound to it. The candidate with the lowest
 * create revision has won; the others each wait for the one before them to go. A candidate with the
 * same value is an earlier process of this node, which is dead because this one holds its address:
 * its lease is revoked instead of waited for.
 *
 * <p>A deleted candidate key does not mean that its owner knows of it. Where that matters, the
 * winner waits until it can create a second key, which its predecessor deletes after it has
 * stopped, and which is bound to the predecessor's lease for the case that it never does.
 */
final class Candidacy {
  private static final Duration CALL_LIMIT = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Runtime runtime;
  private final Etcd etcd;
  private final OwnerConfig config;
  private final Session session;
  private final String key;

  /** The hand-over key's create revision while this session holds it, else 0. */
  private long handOver;

  Candidacy(Runtime runtime, Etcd etcd, OwnerConfig config, Session session) {
    this.runtime = runtime;
    this.etcd = etcd;
    this.config = config;
    this.session = session;
    this.key = config.role().prefix() + String.format("%016x", session.leaseId());
  }

  /** A won election, and the revision at which that was seen. */
  record Win(Term term, long revision) {}

  /** Stands for election and waits for the win; empty if the session is lost first. */
  Optional<Win> win() throws InterruptedException {
    long mine = 0;
    while (alive()) {
      if (mine == 0) {
        mine = enter();
        continue;
      }
      Outcome<Read<List<KeyValue>>> outcome =
          etcd.range(KeyRange.prefix(config.role().prefix()), CALL_LIMIT);
      if (!(outcome instanceof Outcome.Done<Read<List<KeyValue>>> done)) {
        runtime.sleep(PAUSE);
        continue;
      }
      List<KeyValue> candidates = done.value().value();
      if (!stands(candidates, mine)) {
        mine = 0;
        continue;
      }
      Optional<KeyValue> before = lastBefore(candidates, mine);
      if (before.isEmpty()) {
        Term term = new Term(config.role().id(), config.nodeId(), key, mine);
        return Optional.of(new Win(term, done.value().revision()));
      }
      if (before.get().value().equals(config.value())) {
        etcd.revokeLease(before.get().leaseId(), CALL_LIMIT);
      } else {
        awaitDeleted(before.get().key(), done.value().revision() + 1);
      }
    }
    return Optional.empty();
  }

  /** Creates the candidate key unless it stands; its create revision, or 0 if that failed. */
  private long enter() throws InterruptedException {
    TxnRequest request =
        new TxnRequest(
            List.of(new Compare.CreateRevisionIs(key, 0)),
            List.of(new Write.Put(key, config.value(), session.leaseId())),
            List.of(key));
    if (etcd.txn(request, CALL_LIMIT) instanceof Outcome.Done<TxnReply> done) {
      TxnReply reply = done.value();
      return reply.succeeded()
          ? reply.revision()
          : reply.found().get(0).map(KeyValue::createRevision).orElse(0L);
    }
    runtime.sleep(PAUSE);
    return 0;
  }

  private boolean stands(List<KeyValue> candidates, long createRevision) {
    return candidates.stream()
        .anyMatch(kv -> kv.key().equals(key) && kv.createRevision() == createRevision);
  }

  private static Optional<KeyValue> lastBefore(List<KeyValue> candidates, long createRevision) {
    KeyValue last = null;
    for (KeyValue kv : candidates) {
      if (kv.createRevision() < createRevision
          && (last == null || kv.createRevision() > last.createRevision())) {
        last = kv;
      }
    }
    return Optional.ofNullable(last);
  }

  /** Waits until {@code awaited} is deleted, the watch ends, or the session is lost. */
  private void awaitDeleted(String awaited, long fromRevision) throws InterruptedException {
    try (Watch watch = etcd.watch(awaited, fromRevision)) {
      while (alive()) {
        Optional<WatchEvent> event = watch.poll(tick());
        if (event.isPresent() && event.get() instanceof WatchEvent.Ended) {
          runtime.sleep(PAUSE);
          return;
        }
        if (event.isPresent() && event.get() instanceof WatchEvent.Deleted) {
          return;
        }
      }
    }
  }

  /** Waits until the predecessor has stopped; false if the win or the session is lost first. */
  boolean awaitHandOver(Term term) throws InterruptedException {
    String reignKey = config.role().handOverKey();
    TxnRequest request =
        new TxnRequest(
            List.of(
                new Compare.CreateRevisionIs(reignKey, 0),
                new Compare.CreateRevisionIs(key, term.number())),
            List.of(new Write.Put(reignKey, config.value(), session.leaseId())),
            List.of(reignKey, key));
    while (alive()) {
      if (!(etcd.txn(request, CALL_LIMIT) instanceof Outcome.Done<TxnReply> done)) {
        runtime.sleep(PAUSE);
        continue;
      }
      if (done.value().succeeded()) {
        handOver = done.value().revision();
        return true;
      }
      Optional<KeyValue> holder = done.value().found().get(0);
      Optional<KeyValue> own = done.value().found().get(1);
      if (own.isEmpty() || own.get().createRevision() != term.number()) {
        return false;
      }
      if (holder.isPresent() && holder.get().leaseId() == session.leaseId()) {
        handOver = holder.get().createRevision();
        return true;
      }
      if (holder.isPresent() && holder.get().value().equals(config.value())) {
        etcd.revokeLease(holder.get().leaseId(), CALL_LIMIT);
      } else if (holder.isPresent()) {
        awaitDeleted(reignKey, done.value().revision() + 1);
      }
    }
    return false;
  }

  /**
   * Leaves the queue and lets a successor begin; the node has stopped serving the role.
   *
   * @return false if that is not certain, so that the session must end
   */
  boolean leave(Term term) throws InterruptedException {
    if (!alive()) {
      return false;
    }
    boolean left = delete(key, term.number()) instanceof Outcome.Done<?>;
    if (handOver != 0) {
      left &= delete(config.role().handOverKey(), handOver) instanceof Outcome.Done<?>;
      handOver = 0;
    }
    return left;
  }

  /** Deletes the candidate key, if it is still this term's. */
  Outcome<TxnReply> withdraw(Term term) throws InterruptedException {
    return delete(key, term.number());
  }

  private Outcome<TxnReply> delete(String victim, long createRevision)
      throws InterruptedException {
    return etcd.txn(
        new TxnRequest(
            List.of(new Compare.CreateRevisionIs(victim, createRevision)),
            List.of(new Write.Delete(victim))),
        CALL_LIMIT);
  }

  /** Whether the term's key stands; unknown if etcd did not answer. */
  Outcome<Read<Boolean>> stands(Term term) throws InterruptedException {
    return etcd.get(key, CALL_LIMIT)
        .map(
            read ->
                new Read<>(
                    read.value().map(KeyValue::createRevision).orElse(0L) == term.number(),
                    read.revision()));
  }

  /** Watches the own key. */
  Watch watch(long fromRevision) {
    return etcd.watch(key, fromRevision);
  }

  /** Whether the session still carries this candidacy. */
  boolean alive() {
    return config.modes().lease() == OwnerModes.LeaseCheck.DEADLINE
        ? session.holds()
        : !session.isLost();
  }

  /** How long to wait for an event before looking at the session again. */
  Duration tick() {
    Duration third = config.ttl().dividedBy(3);
    Duration left = session.left();
    return left.isZero() || third.compareTo(left) < 0 ? third : left;
  }
}
