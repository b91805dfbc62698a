package interregnum.schema;

import interregnum.runtime.Mutex;
import interregnum.runtime.Runtime;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The metadata lock of one node: which open transaction uses which table at which schema version.
 * Any task may call.
 */
final class TablePins {
  private final Mutex mutex;
  private final Runnable onRelease;

  /** Versions by table id, by view; guarded by {@link #mutex}, as is the counter. */
  private final Map<Long, Map<Long, Long>> pins = new LinkedHashMap<>();

  private long views;

  /**
   * @param onRelease called after a transaction has let go of its tables
   */
  TablePins(Runtime runtime, Runnable onRelease) {
    this.mutex = runtime.mutex("table-pins");
    this.onRelease = onRelease;
  }

  /** A new holder of pins. */
  long open() {
    mutex.lock();
    try {
      pins.put(++views, new TreeMap<>());
      return views;
    } finally {
      mutex.unlock();
    }
  }

  /** Guards the choice of a version and its pinning against {@link #isBlocked}. */
  Mutex mutex() {
    return mutex;
  }

  /** Notes that {@code view} uses the table; the caller holds the mutex. */
  void pin(long view, long tableId, long version) {
    pins.get(view).putIfAbsent(tableId, version);
  }

  void release(long view) {
    boolean held;
    mutex.lock();
    try {
      Map<Long, Long> released = pins.remove(view);
      held = released != null && !released.isEmpty();
    } finally {
      mutex.unlock();
    }
    if (held) {
      onRelease.run();
    }
  }

  /** Whether a transaction uses one of the tables at a version below {@code version}. */
  boolean isBlocked(Collection<Long> tableIds, long version) {
    mutex.lock();
    try {
      for (Map<Long, Long> held : pins.values()) {
        for (long tableId : tableIds) {
          if (held.getOrDefault(tableId, version) < version) {
            return true;
          }
        }
      }
      return false;
    } finally {
      mutex.unlock();
    }
  }
}
