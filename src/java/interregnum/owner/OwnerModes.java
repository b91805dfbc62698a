package interregnum.owner;

/**
 * The safeguards of an election, each of which can be left out.
 *
 * @param watch from when the owner watches its own key
 * @param lease what decides that a reign still holds
 * @param become what comes first when a reign begins
 * @param resign what comes first when a reign is given up
 * @param handOver whether an owner that answers from memory waits for its predecessor
 */
public record OwnerModes(
    Watch watch, LeaseCheck lease, Become become, Resign resign, HandOver handOver) {

  /** Every safeguard on. */
  public static final OwnerModes CORRECT =
      new OwnerModes(
          Watch.FROM_WINNING_REVISION,
          LeaseCheck.DEADLINE,
          Become.LISTENER_FIRST,
          Resign.RETIRE_FIRST,
          HandOver.AWAITED);

  /** From when the owner watches its own key. */
  public enum Watch {
    FROM_WINNING_REVISION,
    /** A deletion between the win and the watch goes unseen. */
    FROM_NOW
  }

  /** What decides that a reign still holds. */
  public enum LeaseCheck {
    DEADLINE,
    /** Only that the loss of the lease has not been noticed. */
    NONE
  }

  /** What comes first when a reign begins. */
  public enum Become {
    LISTENER_FIRST,
    /** Requests are served before the listener has prepared for the reign. */
    FLAG_FIRST
  }

  /** What comes first when a reign is given up. */
  public enum Resign {
    RETIRE_FIRST,
    /** The owner goes on until the watch tells it that its key is gone. */
    DELETE_FIRST
  }

  /** Whether an owner that answers from memory waits for its predecessor to have stopped. */
  public enum HandOver {
    AWAITED,
    NONE
  }

  public OwnerModes with(Watch value) {
    return new OwnerModes(value, lease, become, resign, handOver);
  }

  public OwnerModes with(LeaseCheck value) {
    return new OwnerModes(watch, value, become, resign, handOver);
  }

  public OwnerModes with(Become value) {
    return new OwnerModes(watch, lease, value, resign, handOver);
  }

  public OwnerModes with(Resign value) {
    return new OwnerModes(watch, lease, become, value, handOver);
  }

  public OwnerModes with(HandOver value) {
    return new OwnerModes(watch, lease, become, resign, value);
  }
}
