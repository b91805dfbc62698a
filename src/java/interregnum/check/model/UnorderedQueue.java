package interregnum.check.model;

import clojure.lang.IPersistentMap;
import clojure.lang.PersistentHashMap;
import java.util.Optional;
import java.util.Set;

/**
 * A bag: elements come out in any order, each as often as it was put in.
 *
 * <p>Calls: {@code enqueue x}, {@code dequeue x}. The state maps elements to their number. A
 * crashed dequeue of an unknown element only takes away, and there is no operation that notices,
 * so it says nothing.
 */
public final class UnorderedQueue implements Model {

  @Override
  public String name() {
    return "unordered-queue";
  }

  @Override
  public Object initial() {
    return PersistentHashMap.EMPTY;
  }

  @Override
  public Object step(Object state, Call call) {
    IPersistentMap bag = (IPersistentMap) state;
    Object element = call.value();
    long count = ((Number) bag.valAt(element, 0L)).longValue();
    return switch (call.f()) {
      case "enqueue" -> bag.assoc(element, count + 1);
      case "dequeue" ->
          count == 0
              ? new Inconsistent("can't dequeue " + Text.of(element))
              : count == 1 ? bag.without(element) : bag.assoc(element, count - 1);
      default ->
          throw new IllegalArgumentException("an unordered queue has no operation " + call.f());
    };
  }

  @Override
  public Optional<Set<Object>> parts(Call call) {
    return Optional.of(java.util.Collections.singleton(call.value()));
  }

  @Override
  public Optional<Call> interpret(Call recorded, Object process, boolean crashed) {
    boolean says = !(crashed && recorded.f().equals("dequeue"));
    return says ? Optional.of(recorded) : Optional.empty();
  }

  @Override
  public Kind kind() {
    return Kind.UNORDERED_QUEUE;
  }

  @Override
  public boolean fewStates() {
    return false;
  }
}
