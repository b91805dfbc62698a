package interregnum.defect;

import interregnum.allocator.AllocatorModes.Answer;
import interregnum.allocator.AllocatorModes.Close;
import interregnum.allocator.AllocatorModes.Counter;
import interregnum.allocator.AllocatorModes.Forced;
import interregnum.allocator.AllocatorModes.Ranges;
import interregnum.owner.OwnerModes;
import interregnum.sql.exec.SqlModes;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Every planted defect, and the modes of a node that has some of them. */
public final class Defects {

  private static final List<Defect> OF_IDS =
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
              m -> m.allocator(a -> a.with(Answer.ONCE_ELECTED))),
          new Defect(
              "pd-4884",
              "tikv/pd#4884",
              "getting ready before being seen as leader: a request in between is served from the"
                  + " ranges of an earlier reign",
              "owner.Ownership",
              List.of("ID-4", "ID-3", "ID-5"),
              m ->
                  m.autoidOwner(o -> o.with(OwnerModes.Become.FLAG_FIRST))
                      .allocator(a -> a.with(Ranges.UNTIL_NEXT_REIGN))),
          new Defect(
              "tidb-46444",
              "pingcap/tidb#46444",
              "leaving counters alone on shutdown: a node that stops sets each counter back to its"
                  + " own last id, though another leads by now",
              "allocator.LeaderService",
              List.of("ID-1", "ID-8", "ID-4"),
              m -> m.allocator(a -> a.with(Close.WRITES_BACK))),
          new Defect(
              "mysql-199",
              "MySQL bug #199",
              "the stored counter: a new leader goes on from the highest row, so that the ids of"
                  + " deleted rows come again",
              "allocator.Counters",
              List.of("ID-1", "ID-4", "ID-8"),
              m -> m.allocator(a -> a.with(Counter.HIGHEST_ROW))),
          new Defect(
              "rebase-retry",
              "none: derived from the client of pingcap/tidb, which repeats requests blindly",
              "the memory of forced rebases: one whose reply was lost is carried out again, and"
                  + " undoes what was handed out in between",
              "allocator.Counters",
              List.of("ID-15", "ID-1"),
              m -> m.allocator(a -> a.with(Forced.EACH_TIME))));

  private static final List<Defect> OF_TRANSACTIONS =
      List.of(
          new Defect(
              "tidb-auto-retry",
              "jepsen.io/analyses/tidb-2.1.7",
              "failing a transaction that conflicts: its statements run again without the client,"
                  + " so that a decision from what it read overwrites what was written since",
              "sql.exec.Session",
              List.of("linearizable registers"),
              m -> m.sql(s -> s.with(SqlModes.Conflict.REPLAYED))));

  private static final List<Defect> ALL =
      Stream.of(OF_IDS, SchemaDefects.ALL, OF_TRANSACTIONS).flatMap(List::stream).toList();

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
