package interregnum.store;

import interregnum.etcd.KeyValue;
import interregnum.etcd.TxnRequest;
import interregnum.etcd.TxnRequest.Compare;
import interregnum.etcd.TxnRequest.Write;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A transaction of {@link EtcdStore}. */
final class EtcdTxn implements StoreTxn {
  private static final int PAGE = 2_000;
  private static final int PAGE_MAX = 16_000;
  private static final int PAGE_CHARS = 4 << 20;
  private static final String NEXT = "\0";

  private final EtcdStore store;
  private final long snapshot;

  /** What had been seen when a branch was made; shared with the branches, never changed. */
  private List<Map<String, Long>> seenBefore;

  /** Mod revisions, 0 for absent, that keys must still have: as read, or as asked for. */
  private Map<String, Long> seen = new HashMap<>();

  /** New values, empty for deletions. */
  private final TreeMap<String, Optional<String>> writes = new TreeMap<>(KeyOrder.INSTANCE);

  private final TreeSet<String> locks = new TreeSet<>(KeyOrder.INSTANCE);

  /** Written keys that are not compared. */
  private final Set<String> guarded = new HashSet<>();

  private final List<Fence> fences = new ArrayList<>();
  private boolean ended;

  EtcdTxn(EtcdStore store, long snapshot) {
    this(store, snapshot, List.of());
  }

  private EtcdTxn(EtcdStore store, long snapshot, List<Map<String, Long>> seenBefore) {
    this.store = store;
    this.snapshot = snapshot;
    this.seenBefore = seenBefore;
  }

  @Override
  public long snapshotRevision() {
    return snapshot;
  }

  @Override
  public Optional<String> get(String key) throws InterruptedException {
    checkOpen();
    Optional<String> written = writes.get(key);
    return written != null ? written : read(key);
  }

  private Optional<String> read(String key) throws InterruptedException {
    List<KeyValue> found = store.range(key, key + NEXT, 1, snapshot);
    seen.put(key, found.isEmpty() ? 0L : found.get(0).modRevision());
    return found.stream().map(KeyValue::value).findFirst();
  }

  @Override
  public List<Entry> scan(String from, String to, int limit) throws InterruptedException {
    checkOpen();
    TreeMap<String, Optional<String>> own = new TreeMap<>(writes.subMap(from, to));
    List<Entry> entries = new ArrayList<>();
    String start = from;
    boolean more = KeyOrder.INSTANCE.compare(from, to) < 0;
    int page = PAGE;
    while (more && (limit == 0 || entries.size() < limit)) {
      int asked = limit == 0 ? page : Math.min(page, limit - entries.size() + own.size());
      List<KeyValue> found = store.range(start, to, asked, snapshot);
      more = found.size() == asked;
      start = more ? found.get(asked - 1).key() + NEXT : to;
      page = pageAfter(found);
      merge(found, own.headMap(start), entries);
    }
    return limit == 0 || entries.size() <= limit ? entries : entries.subList(0, limit);
  }

  /**
   * How many keys to ask for after these. Few large pages are better than many small ones: for each
   * page etcd goes through all keys up to the end of the range, whatever the limit.
   */
  private static int pageAfter(List<KeyValue> found) {
    long chars = 1;
    for (KeyValue kv : found) {
      chars += kv.key().length() + kv.value().length();
    }
    long fitting = (long) PAGE_CHARS * Math.max(1, found.size()) / chars;
    return (int) Math.max(1, Math.min(PAGE_MAX, fitting));
  }

  /** Adds a page of the snapshot to {@code entries}, changed by the own writes within its span. */
  private void merge(
      List<KeyValue> found, Map<String, Optional<String>> own, List<Entry> entries) {
    if (own.isEmpty()) {
      for (KeyValue kv : found) {
        seen.put(kv.key(), kv.modRevision());
        entries.add(new Entry(kv.key(), kv.value()));
      }
      return;
    }
    TreeMap<String, Optional<String>> page = new TreeMap<>(KeyOrder.INSTANCE);
    for (KeyValue kv : found) {
      seen.put(kv.key(), kv.modRevision());
      page.put(kv.key(), Optional.of(kv.value()));
    }
    page.putAll(own);
    own.clear();
    page.forEach((key, value) -> value.ifPresent(v -> entries.add(new Entry(key, v))));
  }

  @Override
  public void put(String key, String value) {
    checkOpen();
    writes.put(key, Optional.of(value));
    guarded.remove(key);
  }

  @Override
  public void putNew(String key, String value) {
    put(key, value);
    seen.put(key, 0L);
  }

  @Override
  public void putGuarded(String key, String value) {
    put(key, value);
    guarded.add(key);
  }

  @Override
  public void delete(String key) {
    checkOpen();
    writes.put(key, Optional.empty());
    guarded.remove(key);
  }

  @Override
  public void lock(String key) {
    checkOpen();
    locks.add(key);
  }

  @Override
  public void require(Fence fence) {
    checkOpen();
    fences.add(fence);
  }

  @Override
  public StoreTxn branch() {
    checkOpen();
    if (!seen.isEmpty()) {
      List<Map<String, Long>> all = new ArrayList<>(List.of(seen));
      all.addAll(seenBefore);
      seenBefore = List.copyOf(all);
      seen = new HashMap<>();
    }
    return new EtcdTxn(store, snapshot, seenBefore);
  }

  @Override
  public CommitResult commit() throws InterruptedException {
    checkOpen();
    ended = true;
    if (writes.isEmpty() && locks.isEmpty() && fences.isEmpty()) {
      return new CommitResult.Committed(snapshot);
    }
    try {
      for (String key : locks) {
        if (seenRevision(key) == null) {
          read(key);
        }
      }
    } catch (StoreUnavailableException e) {
      return new CommitResult.Failed(e.getMessage());
    }
    return store.commit(new Changes(compares(), List.copyOf(writes()), List.copyOf(fences)));
  }

  /** Null if the key has not been read. */
  private Long seenRevision(String key) {
    Long revision = seen.get(key);
    for (int i = 0; revision == null && i < seenBefore.size(); i++) {
      revision = seenBefore.get(i).get(key);
    }
    return revision;
  }

  private List<Compare> compares() {
    TreeSet<String> keys = new TreeSet<>(KeyOrder.INSTANCE);
    for (String key : writes.keySet()) {
      if (!guarded.contains(key)) {
        keys.add(key);
      }
    }
    keys.addAll(locks);
    List<Compare> compares = new ArrayList<>(keys.size());
    for (String key : keys) {
      Long revision = seenRevision(key);
      compares.add(
          revision == null
              ? new Compare.ModRevisionAtMost(key, snapshot)
              : new Compare.ModRevisionIs(key, revision));
    }
    return compares;
  }

  private List<Write> writes() {
    List<Write> list = new ArrayList<>(writes.size());
    writes.forEach(
        (key, value) ->
            list.add(
                value.isPresent()
                    ? new Write.Put(key, value.get(), 0)
                    : new Write.Delete(key)));
    return list;
  }

  private void checkOpen() {
    if (ended) {
      throw new IllegalStateException("transaction used after its commit");
    }
  }

  /** What a transaction asks etcd for: writes, and what must hold for them. */
  record Changes(List<Compare> compares, List<Write> writes, List<Fence> fences) {

    /** The request; on failure it reads the fences' keys, in order, and then the slot. */
    TxnRequest request(Optional<CommitSlots.Slot> slot) {
      List<Compare> allCompares = new ArrayList<>(compares);
      List<Write> allWrites = new ArrayList<>(writes);
      List<String> onFailure = new ArrayList<>();
      for (Fence fence : fences) {
        allCompares.add(
            new Compare.CreateRevisionIs(fence.electionKey(), fence.createRevision()));
        onFailure.add(fence.electionKey());
      }
      slot.ifPresent(
          s -> {
            allCompares.add(s.compare());
            allWrites.add(s.write());
            onFailure.add(s.key());
          });
      return new TxnRequest(allCompares, allWrites, onFailure);
    }
  }
}
