package interregnum.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The schema versions that a node knows. The loader writes; any task reads one immutable state.
 */
final class SchemaCache {
  private static final int KEPT = 32;

  private volatile State state = new State(List.of(), Set.of());

  /**
   * @param snapshots oldest first
   * @param emptyVersions versions that had no diff when the loader came by
   */
  record State(List<SchemaSnapshot> snapshots, Set<Long> emptyVersions) {

    Optional<SchemaSnapshot> latest() {
      return snapshots.isEmpty()
          ? Optional.empty()
          : Optional.of(snapshots.get(snapshots.size() - 1));
    }

    /** The newest one that was read no later than {@code storeRevision}. */
    Optional<SchemaSnapshot> asOf(long storeRevision) {
      for (int i = snapshots.size() - 1; i >= 0; i--) {
        if (snapshots.get(i).storeRevision() <= storeRevision) {
          return Optional.of(snapshots.get(i));
        }
      }
      return Optional.empty();
    }
  }

  State state() {
    return state;
  }

  /** Adds a snapshot, newer than all others, with the empty versions known by then. */
  void add(SchemaSnapshot snapshot, Set<Long> emptyVersions) {
    List<SchemaSnapshot> next = new ArrayList<>(state.snapshots());
    next.add(snapshot);
    if (next.size() > KEPT) {
      next.remove(0);
    }
    state = new State(List.copyOf(next), new TreeSet<>(emptyVersions));
  }
}
