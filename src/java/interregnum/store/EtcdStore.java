package interregnum.store;

import interregnum.etcd.Etcd;
import interregnum.etcd.KeyRange;
import interregnum.etcd.KeyValue;
import interregnum.etcd.Read;
import interregnum.etcd.TxnReply;
import interregnum.etcd.TxnRequest;
import interregnum.runtime.Outcome;
import interregnum.runtime.Runtime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The store on etcd: a snapshot is a revision, a commit is one etcd transaction.
 *
 * <p>A commit compares, for every written or locked key, that it has not changed since the
 * snapshot, and for every fence, that the election key still has its create revision. Two changes
 * escape the compares, and neither loses an update: a key that was absent in the snapshot and was
 * created and deleted since; and a key that was deleted since and is put here without having been
 * read.
 *
 * <p>A commit that got no reply is settled through {@link CommitSlots}, so {@link
 * CommitResult.Unknown} is left for the case that etcd does not answer that question either.
 *
 * <p>One commit cannot change more keys than etcd's {@code --max-txn-ops} (128 unless set; the
 * nodes are run with 10000), nor carry more than its {@code --max-request-bytes}.
 */
public final class EtcdStore implements Store {
  private static final String ANY_KEY = "/interregnum/meta/next-id";

  private final Etcd etcd;
  private final StoreLimits limits;
  private final CommitSlots slots;

  public EtcdStore(Runtime runtime, Etcd etcd, String nodeId) {
    this(runtime, etcd, nodeId, StoreLimits.DEFAULT);
  }

  public EtcdStore(Runtime runtime, Etcd etcd, String nodeId, StoreLimits limits) {
    this.etcd = etcd;
    this.limits = limits;
    this.slots = new CommitSlots(runtime, etcd, nodeId);
  }

  @Override
  public StoreTxn begin() throws InterruptedException {
    return new EtcdTxn(this, read(etcd.get(ANY_KEY, limits.read())).revision());
  }

  /** Keys in the range as they stood at {@code revision}. */
  List<KeyValue> range(String from, String to, int limit, long revision)
      throws InterruptedException {
    return read(etcd.range(new KeyRange(from, to, limit, revision), limits.read())).value();
  }

  private static <T> Read<T> read(Outcome<Read<T>> outcome) {
    if (outcome instanceof Outcome.Done<Read<T>> done) {
      return done.value();
    }
    throw new StoreUnavailableException(outcome.toString());
  }

  /** Commits writes under compares; both come from one transaction. */
  CommitResult commit(EtcdTxn.Changes changes) throws InterruptedException {
    if (changes.writes().isEmpty()) {
      return commit(changes.request(Optional.empty()), changes, Optional.empty());
    }
    Optional<CommitSlots.Slot> slot = slots.take(limits.commit());
    if (slot.isEmpty()) {
      return new CommitResult.Failed("no commit slot: etcd did not answer in time");
    }
    boolean known = false;
    try {
      CommitResult result = commit(changes.request(slot), changes, slot);
      known = true;
      return result;
    } finally {
      if (!known) {
        slot.get().forget();
      }
      slots.give(slot.get());
    }
  }

  private CommitResult commit(
      TxnRequest request, EtcdTxn.Changes changes, Optional<CommitSlots.Slot> slot)
      throws InterruptedException {
    Duration limit = limits.commit();
    Outcome<TxnReply> outcome = etcd.txn(request, limit);
    if (outcome instanceof Outcome.Done<TxnReply> done) {
      return answered(done.value(), changes.fences(), slot);
    }
    if (outcome instanceof Outcome.Unknown<TxnReply> unknown && slot.isPresent()) {
      return slots.settle(slot.get(), unknown.reason(), limits.settle());
    }
    return new CommitResult.Failed(outcome.toString());
  }

  private static CommitResult answered(
      TxnReply reply, List<Fence> fences, Optional<CommitSlots.Slot> slot) {
    if (reply.succeeded()) {
      slot.ifPresent(s -> s.written(reply.revision()));
      return new CommitResult.Committed(reply.revision());
    }
    if (slot.isPresent() && !slot.get().holds(reply.found().get(fences.size()))) {
      slot.get().forget();
    }
    for (int i = 0; i < fences.size(); i++) {
      long stands = reply.found().get(i).map(KeyValue::createRevision).orElse(0L);
      if (stands != fences.get(i).createRevision()) {
        return new CommitResult.Fenced();
      }
    }
    return new CommitResult.Conflict();
  }
}
