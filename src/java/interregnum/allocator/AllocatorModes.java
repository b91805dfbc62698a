package interregnum.allocator;

/**
 * The switchable safeguards of the id service.
 *
 * @param ranges how long a reserved range may be used
 * @param answer when the leader side may answer
 */
public record AllocatorModes(Ranges ranges, Answer answer) {

  /** Every safeguard on. */
  public static final AllocatorModes CORRECT =
      new AllocatorModes(Ranges.ONE_REIGN, Answer.WHILE_LEASED);

  /** How long a range in memory may be used. */
  public enum Ranges {
    /** In the reign that reserved it: dropped on becoming leader, and compared at each use. */
    ONE_REIGN,
    /** As long as the node runs. */
    KEPT
  }

  /** When the leader side may answer. */
  public enum Answer {
    /** While the lease deadline of its reign holds, looked up after the ids were taken. */
    WHILE_LEASED,
    /** From its first reign on, whether or not that has ended. */
    ONCE_ELECTED
  }

  /** These modes with another life of ranges. */
  public AllocatorModes with(Ranges other) {
    return new AllocatorModes(other, answer);
  }

  /** These modes with another condition of answering. */
  public AllocatorModes with(Answer other) {
    return new AllocatorModes(ranges, other);
  }
}
