package interregnum.defect;

import interregnum.allocator.AllocatorModes.Answer;
import interregnum.allocator.AllocatorModes.Ranges;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Every planted defect, and the modes of a node that has some of them. */
public final class Defects {

  private static final List<Defect> ALL =
      List.of(
          new Defect(
              "tidb-52600",
              "pingcap/tidb#52600",
              "dropping the ranges of an earlier reign: on regaining the lead, ids go on where the"
                  + " node left off",
              "allocator.LeaderService",
              List.of("ID-4", "ID-3", "ID-5"),
              m -> m.allocator(a -> a.with(Ranges.KEPT))),
          new Defect(
              "serve-after-lease",
              "pingcap/tidb#52600 (left open by its fix), etcd-io/etcd#11456",
              "the check that the lease still holds before answering: a deposed leader answers"
                  + " from memory",
              "allocator.LeaderService",
              List.of("ID-4", "ID-5"),
              m -> m.allocator(a -> a.with(Answer.ONCE_ELECTED))));

  private static final Map<String, Defect> BY_ID = index();

  private Defects() {}

  /** The catalogue, in the order in which it is shown. */
  public static List<Defect> all() {
    return ALL;
  }

  /**
   * The modes of a node with these defects and no others.
   *
   * @throws IllegalArgumentException if an id is not in the catalogue; the message lists those that
   *     are
   */
  public static Modes modes(Collection<String> ids) {
    Modes modes = Modes.CORRECT;
    for (String id : ids) {
      modes = find(id).change().apply(modes);
    }
    return modes;
  }

  private static Defect find(String id) {
    Defect defect = BY_ID.get(id);
    if (defect == null) {
      throw new IllegalArgumentException(
          "unknown defect " + id + "; known are: " + String.join(", ", BY_ID.keySet()));
    }
    return defect;
  }

  private static Map<String, Defect> index() {
    Map<String, Defect> byId = new LinkedHashMap<>();
    for (Defect defect : ALL) {
      if (byId.put(defect.id(), defect) != null) {
        throw new IllegalStateException("two defects named " + defect.id());
      }
    }
    return byId;
  }
}
