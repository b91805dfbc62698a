package interregnum.check;

import interregnum.check.history.History;
import interregnum.check.search.Problem;
import java.util.List;

/**
 * A few operations that by themselves cannot be linearized.
 *
 * <p>Operations of the original history that were open or completed here but need not have taken
 * effect for the contradiction to stand are kept as crashed ones.
 *
 * @param history the operations, with positions and indices of the whole history
 * @param starts the states from which they were tried
 * @param fromBeginning whether they begin with the history's initial state; if not, every state
 *     that is possible at all is among {@code starts}
 * @param verified whether a second, different search agreed
 */
public record Counterexample(
    History history, List<Problem.Start> starts, boolean fromBeginning, boolean verified) {

  /** Number of operations that must have taken effect. */
  public int required() {
    int n = 0;
    for (int i = 0; i < history.size(); i++) {
      n += history.crashed(i) ? 0 : 1;
    }
    return n;
  }
}
