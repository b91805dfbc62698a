package interregnum.store;

import interregnum.etcd.KeyValue;
import interregnum.etcd.TxnRequest;
import interregnum.etcd.TxnRequest.Compare;
import interregnum.etcd.TxnRequest.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** A transaction of {@link EtcdStore}. */
final class EtcdTxn implements StoreTxn {
  private static final int PAGE = 2_000;
  private static final String NEXT = "\0";

  private final EtcdStore store;
  private final long snapshot;

  /** Mod revisions, 0 for absent, that keys must still have: as read, or as asked for. */
  private final TreeMap<String, Long> seen = new TreeMap<>(KeyOrder.INSTANCE);

  /** New values, empty for deletions. */
  private final TreeMap<String, Optional<String>> writes = new TreeMap<>(KeyOrder.INSTANCE);

  private final TreeSet<String> locks = new TreeSet<>(KeyOrder.INSTANCE);
  private final List<Fence> fences = new ArrayList<>();
  private boolean ended;

  EtcdTxn(EtcdStore store, long snapshot) {
    this.store = store;
    this.snapshot = snapshot;
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
    while (more && (limit == 0 || entries.size() < limit)) {
      int page = limit == 0 ? PAGE : Math.min(PAGE, limit - entries.size() + own.size());
      List<KeyValue> found = store.range(start, to, page, snapshot);
      more = found.size() == page;
      start = more ? found.get(page - 1).key() + NEXT : to;
      merge(found, own.headMap(start), entries);
    }
    return limit == 0 || entries.size() <= limit ? entries : entries.subList(0, limit);
  }

  /** Adds a page of the snapshot to {@code entries}, changed by the own writes within its span. */
  private void merge(
      List<KeyValue> found, Map<String, Optional<String>> own, List<Entry> entries) {
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
  }

  @Override
  public void putNew(String key, String value) {
    put(key, value);
    seen.put(key, 0L);
  }

  @Override
  public void delete(String key) {
    checkOpen();
    writes.put(key, Optional.empty());
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
  public CommitResult commit() throws InterruptedException {
    checkOpen();
    ended = true;
    if (writes.isEmpty() && locks.isEmpty() && fences.isEmpty()) {
      return new CommitResult.Committed(snapshot);
    }
    try {
      for (String key : locks) {
        if (!seen.containsKey(key)) {
          read(key);
        }
      }
    } catch (StoreUnavailableException e) {
      return new CommitResult.Failed(e.getMessage());
    }
    return store.commit(new Changes(compares(), List.copyOf(writes()), List.copyOf(fences)));
  }

  private List<Compare> compares() {
    TreeSet<String> keys = new TreeSet<>(KeyOrder.INSTANCE);
    keys.addAll(writes.keySet());
    keys.addAll(locks);
    List<Compare> compares = new ArrayList<>(keys.size());
    for (String key : keys) {
      Long revision = seen.get(key);
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
