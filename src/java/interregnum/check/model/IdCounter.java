package interregnum.check.model;

import java.util.List;
import java.util.Optional;

/**
 * A counter that hands out ids upwards and may leave gaps, as an id allocator does.
 *
 * <p>Calls: {@code alloc id} and {@code alloc [first last]} (also named {@code generate}), and
 * {@code rebase n}, which moves the counter up to at least {@code n}. The state is the greatest id
 * used so far. Crashed operations may only leave gaps and say nothing.
 */
public final class IdCounter implements Model {

  @Override
  public String name() {
    return "id-counter";
  }

  @Override
  public Object initial() {
    return Long.MIN_VALUE;
  }

  @Override
  public Object step(Object state, Call call) {
    long last = (Long) state;
    if (isRebase(call)) {
      return Math.max(last, Integers.of(call));
    }
    long first = first(call);
    return first > last
        ? (Object) last(call)
        : new Inconsistent("can't allocate " + first + " after " + last);
  }

  /** Tells whether the call moves the counter; all others allocate. */
  public static boolean isRebase(Call call) {
    return switch (call.f()) {
      case "rebase" -> true;
      case "alloc", "generate", "insert" -> false;
      default -> throw new IllegalArgumentException("an id counter has no operation " + call.f());
    };
  }

  /** Returns the first id that the call allocated. */
  public static long first(Call call) {
    return call.value() instanceof List<?> range
        ? Integers.of(bound(range, 0, call), call)
        : Integers.of(call);
  }

  /** Returns the last id that the call allocated. */
  public static long last(Call call) {
    return call.value() instanceof List<?> range
        ? Integers.of(bound(range, 1, call), call)
        : Integers.of(call);
  }

  private static Object bound(List<?> range, int i, Call call) {
    if (range.size() != 2 || Integers.of(range.get(0), call) > Integers.of(range.get(1), call)) {
      throw new IllegalArgumentException("expected [first last], found " + Text.of(range));
    }
    return range.get(i);
  }

  @Override
  public Optional<Call> interpret(Call recorded, Object process, boolean crashed) {
    return crashed ? Optional.empty() : Optional.of(recorded);
  }

  @Override
  public Kind kind() {
    return Kind.ID_COUNTER;
  }

  @Override
  public boolean fewStates() {
    return false;
  }
}
