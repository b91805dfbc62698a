package interregnum.check.search;

import java.util.List;

/** What a search came to. */
public sealed interface Finding {

  /**
   * There is an order that the model accepts.
   *
   * @param finalStates some of the states possible at the end
   */
  record Linearizable(List<Object> finalStates) implements Finding {}

  /**
   * There is none.
   *
   * @param operation the first operation that cannot be ordered when it completes
   * @param possibleStates states that were possible right before that completion
   * @param exact whether those are all
   */
  record NotLinearizable(int operation, List<Object> possibleStates, boolean exact)
      implements Finding {}

  /**
   * The search ended before it knew.
   *
   * @param reason what ended it
   * @param position events before this position of the history are linearizable
   */
  record Undecided(String reason, int position) implements Finding {}
}
