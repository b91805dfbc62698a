package interregnum.sql.exec;

import interregnum.store.CommitResult;
import interregnum.store.Fence;
import interregnum.store.Store;
import interregnum.store.StoreTxn;
import interregnum.store.StoreUnavailableException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A store in memory: optimistic, first committer wins; tests can script how commits end. */
public final class MemoryStore implements Store {

  private record Version(long revision, Optional<String> value) {}

  private final TreeMap<String, List<Version>> data = new TreeMap<>();
  private final Deque<CommitResult> scripted = new ArrayDeque<>();
  private long revision;
  private boolean reachable = true;

  /** The next commit writes nothing and ends like this. */
  public synchronized void failNextCommit(CommitResult result) {
    scripted.add(result);
  }

  public synchronized void reachable(boolean on) {
    reachable = on;
  }

  /** All keys that hold a value, in order. */
  public synchronized List<String> keys() {
    return data.keySet().stream().filter(k -> at(k, revision).isPresent()).toList();
  }

  @Override
  public synchronized StoreTxn begin() {
    if (!reachable) {
      throw new StoreUnavailableException("out of reach");
    }
    return new Txn(revision);
  }

  private Optional<String> at(String key, long snapshot) {
    Optional<String> found = Optional.empty();
    for (Version version : data.getOrDefault(key, List.of())) {
      if (version.revision() <= snapshot) {
        found = version.value();
      }
    }
    return found;
  }

  private long lastChange(String key) {
    List<Version> versions = data.getOrDefault(key, List.of());
    return versions.isEmpty() ? 0 : versions.get(versions.size() - 1).revision();
  }

  private final class Txn implements StoreTxn {
    private final long snapshot;
    private final Map<String, Optional<String>> writes = new TreeMap<>();
    private final Set<String> locks = new TreeSet<>();

    Txn(long snapshot) {
      this.snapshot = snapshot;
    }

    @Override
    public long snapshotRevision() {
      return snapshot;
    }

    @Override
    public Optional<String> get(String key) {
      synchronized (MemoryStore.this) {
        Optional<String> own = writes.get(key);
        return own != null ? own : at(key, snapshot);
      }
    }

    @Override
    public List<Entry> scan(String from, String to, int limit) {
      synchronized (MemoryStore.this) {
        TreeSet<String> keys = new TreeSet<>(data.subMap(from, to).keySet());
        writes.keySet().stream()
            .filter(k -> k.compareTo(from) >= 0 && k.compareTo(to) < 0)
            .forEach(keys::add);
        List<Entry> out = new ArrayList<>();
        for (String key : keys) {
          get(key).ifPresent(value -> out.add(new Entry(key, value)));
          if (out.size() == limit) {
            break;
          }
        }
        return out;
      }
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
      locks.add(key);
    }

    @Override
    public void require(Fence fence) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CommitResult commit() {
      synchronized (MemoryStore.this) {
        if (!scripted.isEmpty()) {
          return scripted.remove();
        }
        locks.addAll(writes.keySet());
        for (String key : locks) {
          if (lastChange(key) > snapshot) {
            return new CommitResult.Conflict();
          }
        }
        revision++;
        writes.forEach(
            (key, value) ->
                data.computeIfAbsent(key, k -> new ArrayList<>())
                    .add(new Version(revision, value)));
        return new CommitResult.Committed(revision);
      }
    }
  }
}
