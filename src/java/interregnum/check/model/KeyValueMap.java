package interregnum.check.model;

import clojure.lang.IPersistentMap;
import clojure.lang.PersistentHashMap;
import interregnum.check.history.History;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A map from keys to strings.
 *
 * <p>Calls, with a value {@code [key v]}: {@code get}, {@code put}, {@code append}, {@code delete}.
 * An absent key reads as {@code ""}. The state is the map without empty values.
 */
public final class KeyValueMap implements Model {

  /** Stands for every value of a key that no get of the history returns or returns more of. */
  private enum Unseen {
    VALUE;

    @Override
    public String toString() {
      return "(a value that no get returns)";
    }
  }

  /** For each key the values that gets return; null if all values are to be kept apart. */
  private final Map<Object, TreeSet<String>> seen;

  /** Creates the model. */
  public KeyValueMap() {
    this(null);
  }

  private KeyValueMap(Map<Object, TreeSet<String>> seen) {
    this.seen = seen;
  }

  @Override
  public String name() {
    return "kv";
  }

  @Override
  public Object initial() {
    return PersistentHashMap.EMPTY;
  }

  @Override
  public Object step(Object state, Call call) {
    IPersistentMap map = (IPersistentMap) state;
    Object key = pair(call).get(0);
    Object value = pair(call).get(1);
    Object held = map.valAt(key, "");
    return switch (call.f()) {
      case "get" ->
          Objects.equals(held, value == null ? "" : value)
              ? map
              : new Inconsistent(
                  "can't get " + Text.of(value) + " from key " + Text.of(key) + ", which holds "
                      + Text.of(held));
      case "put" -> with(map, key, value);
      case "append" -> append(map, key, held, value);
      case "delete" -> map.without(key);
      default -> throw new IllegalArgumentException("a map has no operation " + call.f());
    };
  }

  private Object append(IPersistentMap map, Object key, Object held, Object value) {
    return held == Unseen.VALUE ? map : with(map, key, held + String.valueOf(value));
  }

  private IPersistentMap with(IPersistentMap map, Object key, Object value) {
    if (value == null || "".equals(value)) {
      return map.without(key);
    }
    return map.assoc(key, seen == null || isSeen(key, value.toString()) ? value : Unseen.VALUE);
  }

  private boolean isSeen(Object key, String value) {
    TreeSet<String> values = seen.get(key);
    String next = values == null ? null : values.ceiling(value);
    return next != null && next.startsWith(value);
  }

  @Override
  public Model focusedOn(History history) {
    Map<Object, TreeSet<String>> values = new HashMap<>();
    for (int i = 0; i < history.size(); i++) {
      Call call = history.call(i);
      if (call.f().equals("get") && pair(call).get(1) instanceof String value) {
        values.computeIfAbsent(pair(call).get(0), key -> new TreeSet<>()).add(value);
      }
    }
    return new KeyValueMap(values);
  }

  private static List<?> pair(Call call) {
    if (call.value() instanceof List<?> pair && pair.size() == 2) {
      return pair;
    }
    throw new IllegalArgumentException(
        "operations on a map need a value [key v], found " + Text.of(call.value()));
  }

  @Override
  public Effect effect(Call call) {
    return call.f().equals("get") ? Effect.READ : Effect.UPDATE;
  }

  @Override
  public Optional<Set<Object>> parts(Call call) {
    return Optional.of(Collections.singleton(pair(call).get(0)));
  }

  @Override
  public Optional<Call> interpret(Call recorded, Object process, boolean crashed) {
    return crashed && recorded.f().equals("get") ? Optional.empty() : Optional.of(recorded);
  }

  @Override
  public boolean fewStates() {
    return false;
  }
}
