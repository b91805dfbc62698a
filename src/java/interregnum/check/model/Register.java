package interregnum.check.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One value that can be read and written and, if {@code cas} is set, compared and set.
 *
 * <p>Calls: {@code read v}, {@code write v}, {@code cas [old new]}. The state is the value.
 *
 * @param name {@code register} or {@code cas-register}
 * @param initial the value before the first write, possibly null
 * @param cas whether compare-and-set is part of the type
 * @param exactNil whether a completed read of nil means that the register held nil; otherwise such
 *     a read says nothing
 */
public record Register(String name, Object initial, boolean cas, boolean exactNil)
    implements Model {

  @Override
  public Object step(Object state, Call call) {
    Object value = call.value();
    switch (call.f()) {
      case "read":
        return value == null && !exactNil || Objects.equals(value, state)
            ? state
            : new Inconsistent(
                cas
                    ? "can't read " + Text.of(value) + " from register " + Text.of(state)
                    : Text.of(state) + "≠" + Text.of(value));
      case "write":
        return value;
      case "cas":
        return cas ? compareAndSet(state, value) : unknown(call);
      default:
        return unknown(call);
    }
  }

  private static Object compareAndSet(Object state, Object value) {
    if (!(value instanceof List<?> pair) || pair.size() != 2) {
      throw new IllegalArgumentException(
          "cas needs a value [old new], found " + Text.of(value));
    }
    return Objects.equals(pair.get(0), state)
        ? pair.get(1)
        : new Inconsistent(
            "can't CAS " + Text.of(state) + " from " + Text.of(pair.get(0)) + " to "
                + Text.of(pair.get(1)));
  }

  private Object unknown(Call call) {
    throw new IllegalArgumentException("a " + name + " has no operation " + call.f());
  }

  @Override
  public Effect effect(Call call) {
    return switch (call.f()) {
      case "read" -> Effect.READ;
      case "write" -> Effect.OVERWRITE;
      default -> Effect.UPDATE;
    };
  }

  @Override
  public Optional<Call> interpret(Call recorded, Object process, boolean crashed) {
    boolean says =
        !recorded.f().equals("read") || !crashed && (exactNil || recorded.value() != null);
    return says ? Optional.of(recorded) : Optional.empty();
  }

  @Override
  public Kind kind() {
    return Kind.REGISTER;
  }
}
