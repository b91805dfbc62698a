package interregnum.check.model;

import clojure.lang.IPersistentMap;
import clojure.lang.PersistentHashMap;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A map from keys to strings.
 *
 * <p>Calls, with a value {@code [key v]}: {@code get}, {@code put}, {@code append}, {@code delete}.
 * An absent key reads as {@code ""}. The state is the map without empty values.
 */
public final class KeyValueMap implements Model {

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
      case "append" -> with(map, key, held + String.valueOf(value));
      case "delete" -> map.without(key);
      default -> throw new IllegalArgumentException("a map has no operation " + call.f());
    };
  }

  private static IPersistentMap with(IPersistentMap map, Object key, Object value) {
    return value == null || "".equals(value) ? map.without(key) : map.assoc(key, value);
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
}
