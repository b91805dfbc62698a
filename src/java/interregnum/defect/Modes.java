package interregnum.defect;

import interregnum.allocator.AllocatorModes;
import java.util.function.UnaryOperator;

/** The modes of every service of a node. */
public record Modes(AllocatorModes allocator) {

  /** Every safeguard on. */
  public static final Modes CORRECT = new Modes(AllocatorModes.CORRECT);

  /** These modes with the allocator's changed. */
  public Modes allocator(UnaryOperator<AllocatorModes> change) {
    return new Modes(change.apply(allocator));
  }
}
