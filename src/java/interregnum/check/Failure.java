package interregnum.check;

import java.util.List;
import java.util.Optional;

/**
 * Why a part is not linearizable.
 *
 * @param part the part
 * @param operation number in the part's history of the first operation that cannot be linearized
 *     when it completes; everything before that completion can
 * @param possibleStates states that are possible right before that completion
 * @param allStates whether those are all of them
 * @param reason a sentence, where a special algorithm has one
 * @param counterexample the operations that matter
 */
public record Failure(
    Part part,
    int operation,
    List<Object> possibleStates,
    boolean allStates,
    Optional<String> reason,
    Optional<Counterexample> counterexample) {

  /** Number of operations invoked before the completion that cannot be explained. */
  public int prefixLength() {
    int position = part.history().complete(operation);
    int n = 0;
    while (n < part.history().size() && part.history().invoke(n) < position) {
      n++;
    }
    return n - 1;
  }

  /** The nearest earlier operation that completed, or -1. */
  public int previousOk() {
    int best = -1;
    int position = part.history().complete(operation);
    for (int i = 0; i < part.history().size(); i++) {
      int end = part.history().complete(i);
      if (end < position && (best < 0 || end > part.history().complete(best))) {
        best = i;
      }
    }
    return best;
  }
}
