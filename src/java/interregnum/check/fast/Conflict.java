package interregnum.check.fast;

import java.util.List;

/**
 * Operations that together cannot be linearized, whatever the others do.
 *
 * @param operations their numbers in the history
 * @param reason why, in a sentence
 */
public record Conflict(List<Integer> operations, String reason) {

  static Conflict of(String reason, int... operations) {
    return new Conflict(
        java.util.Arrays.stream(operations).distinct().sorted().boxed().toList(), reason);
  }
}
