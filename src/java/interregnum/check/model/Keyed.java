package interregnum.check.model;

import clojure.lang.IPersistentMap;
import clojure.lang.PersistentHashMap;
import clojure.lang.PersistentVector;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Many independent objects of one type: every call has the value {@code [key v]}.
 *
 * <p>The state maps keys to the states of their objects.
 *
 * @param each the type of every object
 */
public record Keyed(Model each) implements Model {

  @Override
  public String name() {
    return "keyed " + each.name();
  }

  @Override
  public Object initial() {
    return PersistentHashMap.EMPTY;
  }

  @Override
  public Object step(Object state, Call call) {
    IPersistentMap objects = (IPersistentMap) state;
    Object key = key(call);
    Object after = each.step(objects.valAt(key, each.initial()), inner(call));
    return after instanceof Inconsistent ? after : objects.assoc(key, after);
  }

  /** Returns the key that the call is about. */
  public static Object key(Call call) {
    return pair(call).get(0);
  }

  /** Returns the call that the object of the key sees. */
  public static Call inner(Call call) {
    return call.withValue(pair(call).get(1));
  }

  private static List<?> pair(Call call) {
    if (call.value() instanceof List<?> pair && pair.size() == 2) {
      return pair;
    }
    throw new IllegalArgumentException(
        "keyed operations need a value [key v], found " + Text.of(call.value()));
  }

  @Override
  public Effect effect(Call call) {
    return each.effect(inner(call)) == Effect.READ ? Effect.READ : Effect.UPDATE;
  }

  @Override
  public Optional<Set<Object>> parts(Call call) {
    return Optional.of(Collections.singleton(key(call)));
  }

  @Override
  public Optional<Call> interpret(Call recorded, Object process, boolean crashed) {
    return each.interpret(inner(recorded), process, crashed)
        .map(call -> call.withValue(PersistentVector.create(key(recorded), call.value())));
  }

  @Override
  public boolean fewStates() {
    return false;
  }
}
