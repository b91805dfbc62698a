package interregnum.check.model;

import clojure.lang.PersistentQueue;
import java.util.Objects;
import java.util.Optional;

/**
 * A queue: elements come out in the order in which they were put in.
 *
 * <p>Calls: {@code enqueue x}, {@code dequeue x}.
 *
 * @param crashedDequeueRemoves whether a dequeue of unknown outcome may have taken the first
 *     element away; if not, it is stepped with the value nil and thereby impossible
 */
public record FifoQueue(boolean crashedDequeueRemoves) implements Model {

  private static final String REMOVE_FIRST = "dequeue-unknown";

  @Override
  public String name() {
    return "fifo-queue";
  }

  @Override
  public Object initial() {
    return PersistentQueue.EMPTY;
  }

  @Override
  public Object step(Object state, Call call) {
    PersistentQueue queue = (PersistentQueue) state;
    Object element = call.value();
    return switch (call.f()) {
      case "enqueue" -> queue.cons(element);
      case REMOVE_FIRST -> queue.pop();
      case "dequeue" ->
          queue.count() == 0
              ? new Inconsistent("can't dequeue " + Text.of(element) + " from empty queue")
              : Objects.equals(queue.peek(), element)
                  ? queue.pop()
                  : new Inconsistent("can't dequeue " + Text.of(element));
      default -> throw new IllegalArgumentException("a FIFO queue has no operation " + call.f());
    };
  }

  @Override
  public Optional<Call> interpret(Call recorded, Object process, boolean crashed) {
    boolean unknown = crashed && recorded.f().equals("dequeue") && recorded.value() == null;
    return Optional.of(
        unknown && crashedDequeueRemoves ? Call.of(REMOVE_FIRST, null) : recorded);
  }

  @Override
  public Kind kind() {
    return Kind.FIFO_QUEUE;
  }

  @Override
  public boolean fewStates() {
    return false;
  }
}
