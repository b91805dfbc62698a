package interregnum.check.model;

import clojure.lang.IPersistentSet;
import clojure.lang.PersistentHashSet;
import java.util.Optional;

/**
 * A source of ids of which no two are equal; their order means nothing.
 *
 * <p>Calls: {@code generate id}. The state is the set of ids handed out.
 */
public final class UniqueIds implements Model {

  @Override
  public String name() {
    return "unique-ids";
  }

  @Override
  public Object initial() {
    return PersistentHashSet.EMPTY;
  }

  @Override
  public Object step(Object state, Call call) {
    if (!call.f().equals("generate")) {
      throw new IllegalArgumentException("unique ids have no operation " + call.f());
    }
    IPersistentSet used = (IPersistentSet) state;
    return used.contains(call.value())
        ? new Inconsistent(Text.of(call.value()) + " was generated before")
        : used.cons(call.value());
  }

  @Override
  public Optional<Call> interpret(Call recorded, Object process, boolean crashed) {
    return crashed ? Optional.empty() : Optional.of(recorded);
  }

  @Override
  public Kind kind() {
    return Kind.UNIQUE_IDS;
  }

  @Override
  public boolean fewStates() {
    return false;
  }
}
