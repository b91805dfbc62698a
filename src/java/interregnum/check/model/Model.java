package interregnum.check.model;

import interregnum.check.history.History;
import java.util.Optional;
import java.util.Set;

/**
 * A sequential specification: which calls are possible in which state.
 *
 * <p>Implementations are pure and may be called from several threads. States are compared with
 * {@code equals} and {@code hashCode} and must not change after they were returned.
 */
public interface Model {

  /** The name under which people know the model. */
  String name();

  /** The state before the first operation. */
  Object initial();

  /** Returns the state after the call, or an {@link Inconsistent} if the call is impossible. */
  Object step(Object state, Call call);

  /** Tells what the call can do; {@link Effect#UPDATE} is always a correct answer. */
  default Effect effect(Call call) {
    return Effect.UPDATE;
  }

  /**
   * Tells which independent parts of the state the call reads or changes; empty if it may touch
   * all of them. Operations that share no part are checked apart from each other.
   */
  default Optional<Set<Object>> parts(Call call) {
    return Optional.empty();
  }

  /**
   * Turns what a history recorded into the call that the model steps.
   *
   * @param crashed whether the outcome is unknown, so that the value is only the argument
   * @return the call, or empty if the operation says nothing and changes nothing
   */
  default Optional<Call> interpret(Call recorded, Object process, boolean crashed) {
    return Optional.of(recorded);
  }

  /**
   * Returns a model for one history alone that may regard states as one which no operation of that
   * history can tell apart.
   */
  default Model focusedOn(History history) {
    return this;
  }

  /** Whether so few states are reachable that it is worth looking for all of them. */
  default boolean fewStates() {
    return true;
  }

  /** The shape of the data type, for which a faster algorithm may exist. */
  default Kind kind() {
    return Kind.OTHER;
  }

  /** Data types with an algorithm of their own. */
  enum Kind {
    REGISTER,
    SET,
    UNORDERED_QUEUE,
    FIFO_QUEUE,
    ID_COUNTER,
    UNIQUE_IDS,
    FENCED_LOCK,
    OTHER
  }
}
