package interregnum.sql.exec;

import interregnum.store.StoreTxn;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The writes of one statement, kept apart from its transaction until the statement has succeeded,
 * so that one which fails half-way leaves nothing behind.
 */
final class StatementWrites {

  private static final int PRELOAD_MAX = 2000;

  private final StoreTxn txn;
  private final Map<String, Optional<String>> writes = new LinkedHashMap<>();
  private final Map<String, Optional<String>> preloaded = new LinkedHashMap<>();
  private final Set<String> locks = new LinkedHashSet<>();

  StatementWrites(StoreTxn txn) {
    this.txn = txn;
  }

  /** The value as this statement sees it. */
  Optional<String> get(String key) throws InterruptedException {
    Optional<String> own = writes.get(key);
    if (own == null) {
      own = preloaded.get(key);
    }
    return own != null ? own : txn.get(key);
  }

  /** Reads all of {@code keys}, given in order, with one scan if few others stand between them. */
  void preload(List<String> keys) throws InterruptedException {
    String first = keys.get(0);
    List<StoreTxn.Entry> found =
        txn.scan(first, keys.get(keys.size() - 1) + "!", PRELOAD_MAX);
    if (found.size() < PRELOAD_MAX) {
      keys.forEach(key -> preloaded.put(key, Optional.empty()));
      for (StoreTxn.Entry entry : found) {
        preloaded.computeIfPresent(entry.key(), (k, v) -> Optional.of(entry.value()));
      }
    }
  }

  void put(String key, String value) {
    writes.put(key, Optional.of(value));
  }

  void delete(String key) {
    writes.put(key, Optional.empty());
  }

  /** Makes the transaction's commit conflict if the key has changed since its snapshot. */
  void lock(String key) {
    locks.add(key);
  }

  /** Hands everything to the transaction; whether there was anything. */
  boolean apply() {
    locks.forEach(txn::lock);
    writes.forEach(
        (key, value) -> {
          if (value.isPresent()) {
            txn.put(key, value.get());
          } else {
            txn.delete(key);
          }
        });
    return !writes.isEmpty() || !locks.isEmpty();
  }
}
