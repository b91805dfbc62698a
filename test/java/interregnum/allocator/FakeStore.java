package interregnum.allocator;

import interregnum.store.CommitResult;
import interregnum.store.Fence;
import interregnum.store.Store;
import interregnum.store.StoreTxn;
import interregnum.store.StoreUnavailableException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A store in memory whose next commits can be told to go wrong. */
final class FakeStore implements Store {

  enum Mishap {
    /** The commit happens, its answer is lost. */
    LOST_ANSWER,
    /** The commit does not happen, and nobody is told so. */
    LOST_COMMIT,
    FAILURE,
    CONFLICT
  }

  private record Version(String value, long revision) {}

  private final Map<String, Long> elections = new HashMap<>();
  private final Deque<Mishap> mishaps = new ArrayDeque<>();
  private TreeMap<String, Version> data = new TreeMap<>();
  private long revision = 1;
  private boolean unreachable;

  synchronized void elect(String key, long createRevision) {
    elections.put(key, createRevision);
  }

  synchronized void depose(String key) {
    elections.remove(key);
  }

  synchronized void next(Mishap mishap) {
    mishaps.add(mishap);
  }

  synchronized void unreachable(boolean value) {
    unreachable = value;
  }

  synchronized Optional<String> value(String key) {
    return Optional.ofNullable(data.get(key)).map(Version::value);
  }

  synchronized void set(String key, String value) {
    data = new TreeMap<>(data);
    data.put(key, new Version(value, ++revision));
  }

  @Override
  public synchronized StoreTxn begin() {
    if (unreachable) {
      throw new StoreUnavailableException("unreachable");
    }
    return new Txn(data, revision);
  }

  private synchronized CommitResult commit(Txn txn) {
    Mishap mishap = mishaps.poll();
    if (mishap == Mishap.LOST_COMMIT) {
      return new CommitResult.Unknown("scripted");
    }
    if (mishap == Mishap.FAILURE) {
      return new CommitResult.Failed("scripted");
    }
    for (Fence fence : txn.fences) {
      if (!Long.valueOf(fence.createRevision()).equals(elections.get(fence.electionKey()))) {
        return new CommitResult.Fenced();
      }
    }
    for (String key : txn.writes.keySet()) {
      if (mishap == Mishap.CONFLICT
          || data.containsKey(key) && data.get(key).revision() > txn.snapshotRevision) {
        return new CommitResult.Conflict();
      }
    }
    data = new TreeMap<>(data);
    revision++;
    txn.writes.forEach(
        (key, value) -> {
          if (value.isPresent()) {
            data.put(key, new Version(value.get(), revision));
          } else {
            data.remove(key);
          }
        });
    return mishap == Mishap.LOST_ANSWER
        ? new CommitResult.Unknown("scripted")
        : new CommitResult.Committed(revision);
  }

  private final class Txn implements StoreTxn {
    private final TreeMap<String, Version> snapshot;
    private final long snapshotRevision;
    private final TreeMap<String, Optional<String>> writes = new TreeMap<>();
    private final List<Fence> fences = new ArrayList<>();

    Txn(TreeMap<String, Version> snapshot, long snapshotRevision) {
      this.snapshot = snapshot;
      this.snapshotRevision = snapshotRevision;
    }

    @Override
    public long snapshotRevision() {
      return snapshotRevision;
    }

    @Override
    public Optional<String> get(String key) {
      return writes.containsKey(key)
          ? writes.get(key)
          : Optional.ofNullable(snapshot.get(key)).map(Version::value);
    }

    @Override
    public List<Entry> scan(String from, String to, int limit) {
      TreeMap<String, String> seen = new TreeMap<>();
      snapshot.forEach((key, version) -> seen.put(key, version.value()));
      writes.forEach(
          (key, value) ->
              value.ifPresentOrElse(text -> seen.put(key, text), () -> seen.remove(key)));
      return seen.subMap(from, to).entrySet().stream()
          .limit(limit == 0 ? Long.MAX_VALUE : limit)
          .map(e -> new Entry(e.getKey(), e.getValue()))
          .toList();
    }

    @Override
    public void put(String key, String value) {
      writes.put(key, Optional.of(value));
    }

    @Override
    public void putNew(String key, String value) {
      throw new UnsupportedOperationException("putNew " + key);
    }

    @Override
    public StoreTxn branch() {
      throw new UnsupportedOperationException("branch");
    }

    @Override
    public void putGuarded(String key, String value) {
      throw new UnsupportedOperationException("putGuarded " + key);
    }

    @Override
    public void delete(String key) {
      writes.put(key, Optional.empty());
    }

    @Override
    public void lock(String key) {
      throw new UnsupportedOperationException("lock " + key);
    }

    @Override
    public void require(Fence fence) {
      fences.add(fence);
    }

    @Override
    public CommitResult commit() {
      return FakeStore.this.commit(this);
    }
  }
}
