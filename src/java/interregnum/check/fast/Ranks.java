package interregnum.check.fast;

import interregnum.check.history.History;
import java.util.Optional;

/**
 * Operations whose order is known up to groups: those of a lower rank come before those of a higher
 * one, and within a rank any order will do. They can be linearized so unless one of a higher rank
 * completes before one of a lower rank begins.
 */
final class Ranks {

  private final int[] operations;
  private final int[] rankOf;

  /**
   * Creates a sequence of ranks.
   *
   * @param operations numbers of operations, by ascending rank
   * @param rankOf their ranks
   */
  Ranks(int[] operations, int[] rankOf) {
    this.operations = operations;
    this.rankOf = rankOf;
  }

  /** Two operations, of which the first has the lower rank but begins after the second ended. */
  record Inversion(int lower, int higher) {}

  Optional<Inversion> inversion(History history) {
    int latest = -1;
    int latestHere = -1;
    for (int i = 0; i < operations.length; i++) {
      if (i > 0 && rankOf[i] != rankOf[i - 1]) {
        latest = later(history, latest, latestHere);
        latestHere = -1;
      }
      int op = operations[i];
      if (latest >= 0 && history.complete(op) < history.invoke(latest)) {
        return Optional.of(new Inversion(latest, op));
      }
      latestHere = later(history, latestHere, op);
    }
    return Optional.empty();
  }

  private static int later(History history, int a, int b) {
    if (a < 0 || b < 0) {
      return Math.max(a, b);
    }
    return history.invoke(a) > history.invoke(b) ? a : b;
  }
}
