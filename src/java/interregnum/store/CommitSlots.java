package interregnum.store;

import interregnum.etcd.Etcd;
import interregnum.etcd.KeyValue;
import interregnum.etcd.TxnReply;
import interregnum.etcd.TxnRequest;
import interregnum.etcd.TxnRequest.Compare;
import interregnum.etcd.TxnRequest.Write;
import interregnum.runtime.Mutex;
import interregnum.runtime.Outcome;
import interregnum.runtime.Runtime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/**
 * Keys through which commits without a reply are settled.
 *
 * <p>A slot is a key that one commit at a time holds. The commit compares the slot's mod revision
 * and writes the slot together with its data. If no reply comes, the committer tries to write the
 * slot itself under the same compare. Only one of the two writes can win: if the second one does,
 * the commit's compare can never hold again, so it certainly has no effect, now or later; if it
 * does not, the slot names the winner. Until the store answers this question the outcome stays
 * unknown.
 *
 * <p>Slots are named by node and number and used again, so a node leaves behind no more of them
 * than it ever had commits under way at once. A new process claims a slot by writing it, which also
 * voids what an earlier process of that name may still have on its way.
 */
final class CommitSlots {
  private static final String PREFIX = "/interregnum/commit/";
  private static final Duration SETTLE_PAUSE = Duration.ofMillis(100);

  private final Runtime runtime;
  private final Etcd etcd;
  private final String nodeId;
  private final Mutex mutex;

  /** Guarded by {@link #mutex}, as are the two counters. */
  private final ArrayDeque<Slot> free = new ArrayDeque<>();

  private int created;
  private long commits;

  CommitSlots(Runtime runtime, Etcd etcd, String nodeId) {
    this.runtime = runtime;
    this.etcd = etcd;
    this.nodeId = nodeId;
    this.mutex = runtime.mutex("commit-slots");
  }

  /** A slot for one commit, or empty if a new one could not be claimed in time. */
  Optional<Slot> take(Duration limit) throws InterruptedException {
    Slot slot;
    mutex.lock();
    try {
      slot = free.poll();
      if (slot == null) {
        slot = new Slot(PREFIX + nodeId + String.format("/%04d", created++));
      }
      slot.mark = "commit " + ++commits;
    } finally {
      mutex.unlock();
    }
    if (slot.revision == 0 && !claim(slot, limit)) {
      give(slot);
      return Optional.empty();
    }
    return Optional.of(slot);
  }

  private boolean claim(Slot slot, Duration limit) throws InterruptedException {
    if (etcd.put(slot.key, "claimed", 0, limit) instanceof Outcome.Done<Long> done) {
      slot.revision = done.value();
      return true;
    }
    return false;
  }

  /** Returns a slot. One whose state is not known must be {@link Slot#forget forgotten} first. */
  void give(Slot slot) {
    mutex.lock();
    try {
      free.push(slot);
    } finally {
      mutex.unlock();
    }
  }

  /** Finds out what became of the commit that holds {@code slot}, within {@code limit}. */
  CommitResult settle(Slot slot, String reason, Duration limit) throws InterruptedException {
    String voided = "void " + slot.mark;
    TxnRequest request =
        new TxnRequest(
            List.of(slot.compare()),
            List.of(new Write.Put(slot.key, voided, 0)),
            List.of(slot.key));
    long deadline = runtime.nanoTime() + limit.toNanos();
    while (true) {
      long left = deadline - runtime.nanoTime();
      if (left <= 0) {
        slot.forget();
        return new CommitResult.Unknown(reason);
      }
      if (etcd.txn(request, Duration.ofNanos(left)) instanceof Outcome.Done<TxnReply> done) {
        return settled(slot, done.value(), voided, reason);
      }
      runtime.sleep(SETTLE_PAUSE);
    }
  }

  private static CommitResult settled(Slot slot, TxnReply reply, String voided, String reason) {
    if (reply.succeeded()) {
      slot.revision = reply.revision();
      return new CommitResult.Failed("voided after: " + reason);
    }
    Optional<KeyValue> found = reply.found().get(0);
    if (found.isPresent() && found.get().value().equals(slot.mark)) {
      slot.revision = found.get().modRevision();
      return new CommitResult.Committed(slot.revision);
    }
    if (found.isPresent() && found.get().value().equals(voided)) {
      slot.revision = found.get().modRevision();
      return new CommitResult.Failed("voided after: " + reason);
    }
    slot.forget();
    return new CommitResult.Unknown(reason + "; the slot was claimed anew");
  }

  /** A slot in the hands of one commit. */
  static final class Slot {
    private final String key;
    private String mark = "";

    /** The key's mod revision, 0 if it must be claimed. */
    private long revision;

    private Slot(String key) {
      this.key = key;
    }

    String key() {
      return key;
    }

    Compare compare() {
      return new Compare.ModRevisionIs(key, revision);
    }

    Write write() {
      return new Write.Put(key, mark, 0);
    }

    /** Whether {@code found} is what the compare asks for. */
    boolean holds(Optional<KeyValue> found) {
      return found.isPresent() && found.get().modRevision() == revision;
    }

    void written(long atRevision) {
      revision = atRevision;
    }

    void forget() {
      revision = 0;
    }
  }
}
