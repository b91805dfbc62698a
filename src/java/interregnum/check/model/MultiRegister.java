package interregnum.check.model;

import clojure.lang.IPersistentMap;
import clojure.lang.PersistentHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Several registers that are read and written together.
 *
 * <p>Calls: {@code txn [[:read k v] [:write k v] ...]}; a read of nil says nothing. The state maps
 * keys to values.
 */
public final class MultiRegister implements Model {

  private final IPersistentMap initial;

  /** Creates registers with the given values; absent ones hold nil. */
  public MultiRegister(Map<?, ?> initial) {
    this.initial = PersistentHashMap.create(initial);
  }

  @Override
  public String name() {
    return "multi-register";
  }

  @Override
  public Object initial() {
    return initial;
  }

  @Override
  public Object step(Object state, Call call) {
    IPersistentMap now = (IPersistentMap) state;
    for (List<?> op : operations(call)) {
      Object key = op.get(1);
      Object value = op.get(2);
      if (isRead(op)) {
        Object held = now.valAt(key);
        if (value != null && !Objects.equals(value, held)) {
          return new Inconsistent(
              "can't read " + Text.of(value) + " from " + Text.of(key) + ", which holds "
                  + Text.of(held));
        }
      } else {
        now = now.assoc(key, value);
      }
    }
    return now;
  }

  private static boolean isRead(List<?> op) {
    String f = Names.of(op.get(0));
    return switch (f) {
      case "read", "r" -> true;
      case "write", "w" -> false;
      default -> throw new IllegalArgumentException("a multi-register has no operation " + f);
    };
  }

  private static List<List<?>> operations(Call call) {
    if (!call.f().equals("txn") || !(call.value() instanceof List<?> ops)) {
      throw new IllegalArgumentException(
          "a multi-register takes txn [[:read k v] [:write k v] ...], found " + call);
    }
    return ops.stream().<List<?>>map(MultiRegister::operation).toList();
  }

  private static List<?> operation(Object op) {
    if (op instanceof List<?> triple && triple.size() == 3) {
      return triple;
    }
    throw new IllegalArgumentException(
        "a transaction consists of [:read k v] and [:write k v], found " + Text.of(op));
  }

  @Override
  public Effect effect(Call call) {
    return operations(call).stream().allMatch(MultiRegister::isRead) ? Effect.READ : Effect.UPDATE;
  }

  @Override
  public Optional<Set<Object>> parts(Call call) {
    Set<Object> keys = new LinkedHashSet<>();
    operations(call).forEach(op -> keys.add(op.get(1)));
    return Optional.of(keys);
  }

  @Override
  public Optional<Call> interpret(Call recorded, Object process, boolean crashed) {
    List<List<?>> ops = operations(recorded);
    boolean says =
        ops.stream().anyMatch(op -> !isRead(op) || !crashed && op.get(2) != null);
    return says ? Optional.of(recorded) : Optional.empty();
  }
}
