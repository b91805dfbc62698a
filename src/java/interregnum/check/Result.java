package interregnum.check;

import java.util.List;
import java.util.Optional;

/**
 * What a check came to.
 *
 * @param verdict the answer; {@link Verdict#INVALID} as soon as one part is
 * @param model name of the model
 * @param operations number of operations invoked, failed ones included
 * @param parts number of parts (keys) that were checked apart from each other
 * @param validParts how many of them are linearizable
 * @param method how the answer was found, in a few words
 * @param failures the parts that are not linearizable, the earliest failure first
 * @param open the parts that were not decided
 * @param finalStates for a history of one part: some states that are possible at the end
 * @param elapsedMs how long it took, in milliseconds
 */
public record Result(
    Verdict verdict,
    String model,
    int operations,
    int parts,
    int validParts,
    String method,
    List<Failure> failures,
    List<OpenPart> open,
    List<Object> finalStates,
    long elapsedMs) {

  /**
   * A part that was not decided.
   *
   * @param part which one
   * @param reason what ended the search
   * @param decidedOperations how many of its operations were invoked before the point up to which
   *     it is known to be linearizable
   * @param operations how many it has
   * @param advice how to go on
   */
  public record OpenPart(
      Part part, String reason, int decidedOperations, int operations, String advice) {}

  /** The first part that is not linearizable. */
  public Optional<Failure> failure() {
    return failures.stream().findFirst();
  }
}
