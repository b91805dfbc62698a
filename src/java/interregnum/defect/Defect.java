package interregnum.defect;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A safeguard that can be left out.
 *
 * @param id the name given to {@code --defect}
 * @param reference the public bug it models, as {@code owner/repository#number} where there is one
 * @param removes the safeguard it leaves out, as a phrase
 * @param place the class that holds the safeguard
 * @param invariants those it breaks, by their names in the documentation, the telling one first
 * @param change what it does to the modes of a correct node
 */
public record Defect(
    String id,
    String reference,
    String removes,
    String place,
    List<String> invariants,
    UnaryOperator<Modes> change) {}
