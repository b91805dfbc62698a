package interregnum.check.fast;

import interregnum.check.history.History;
import interregnum.check.model.Model;
import interregnum.check.model.Register;
import java.util.Optional;

/** Decides histories of one data type, provided that they have the form that it needs. */
public interface FastCheck {

  /** Whether the algorithm decides this history. */
  boolean applies(History history);

  /**
   * Returns a conflict, or empty if the history is linearizable. Only for histories to which the
   * algorithm applies, or beginnings of them.
   */
  Optional<Conflict> conflict(History history);

  /** The algorithm in a few words. */
  String name();

  /** Returns the algorithm for a model, if there is one. */
  static Optional<FastCheck> of(Model model) {
    return switch (model.kind()) {
      case REGISTER -> Optional.of(new UniqueRegister((Register) model));
      case SET -> Optional.of(new ReadChain());
      case UNORDERED_QUEUE -> Optional.of(new Bag());
      case FIFO_QUEUE -> Optional.of(new UniqueQueue());
      case ID_COUNTER -> Optional.of(new IdOrder());
      case UNIQUE_IDS -> Optional.of(new Distinct());
      case FENCED_LOCK -> Optional.of(new TokenOrder());
      case OTHER -> Optional.empty();
    };
  }
}
