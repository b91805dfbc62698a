package interregnum.store;

import java.util.List;
import java.util.Optional;

/**
 * A transaction: reads see its snapshot and its own writes; writes are buffered until commit. Used
 * by one task. Reads throw {@link StoreUnavailableException} when the store does not answer in
 * time; nothing has been written then.
 */
public interface StoreTxn {

  /** The revision of the snapshot; grows with every commit to the store. */
  long snapshotRevision();

  Optional<String> get(String key) throws InterruptedException;

  /** Entries with keys in {@code [from, to)} in key order, at most {@code limit} (0 for all). */
  List<Entry> scan(String from, String to, int limit) throws InterruptedException;

  void put(String key, String value);

  /** Writes a key that must not exist: the commit conflicts if it does. */
  void putNew(String key, String value);

  /**
   * Writes a key that is only ever changed together with another one, which this transaction has
   * locked: the commit conflicts through that one, and does not look at this.
   */
  void putGuarded(String key, String value);

  void delete(String key);

  /** Makes the commit conflict if {@code key} has changed since the snapshot. */
  void lock(String key);

  /** Makes the commit happen only while {@code fence} holds. */
  void require(Fence fence);

  /**
   * Another transaction on the same snapshot, for another task, without this one's writes. It can
   * lock what this one has read by now without reading it again.
   */
  StoreTxn branch();

  /** Commits; the transaction cannot be used afterwards. */
  CommitResult commit() throws InterruptedException;

  /** A stored key and value. */
  record Entry(String key, String value) {}
}
