package interregnum.check.model;

import clojure.lang.IPersistentSet;
import clojure.lang.PersistentHashSet;
import java.util.List;
import java.util.Optional;

/**
 * A set to which elements are added and that is read as a whole.
 *
 * <p>Calls: {@code add x}, {@code read #{...}}. A completed read of nil is impossible, as a read
 * returns a set; a crashed read says nothing.
 *
 * @param listsAreSets whether a read may also return a list of the elements
 */
public record GrowingSet(boolean listsAreSets) implements Model {

  @Override
  public String name() {
    return "set";
  }

  @Override
  public Object initial() {
    return PersistentHashSet.EMPTY;
  }

  @Override
  public Object step(Object state, Call call) {
    IPersistentSet set = (IPersistentSet) state;
    return switch (call.f()) {
      case "add" -> set.cons(call.value());
      case "read" ->
          set.equals(call.value())
              ? set
              : new Inconsistent("can't read " + Text.of(call.value()) + " from " + Text.of(set));
      default -> throw new IllegalArgumentException("a set has no operation " + call.f());
    };
  }

  @Override
  public Effect effect(Call call) {
    return call.f().equals("read") ? Effect.READ : Effect.UPDATE;
  }

  @Override
  public Optional<Call> interpret(Call recorded, Object process, boolean crashed) {
    if (!recorded.f().equals("read")) {
      return Optional.of(recorded);
    }
    if (crashed) {
      return Optional.empty();
    }
    return Optional.of(
        listsAreSets && recorded.value() instanceof List<?> elements
            ? recorded.withValue(PersistentHashSet.create(elements))
            : recorded);
  }

  @Override
  public Kind kind() {
    return Kind.SET;
  }

  @Override
  public boolean fewStates() {
    return false;
  }
}
