package interregnum.allocator;

/**
 * The safeguards of the id service, each of which can be left out.
 *
 * @param ranges how long a reserved range may be used
 * @param answer when the leader side may answer
 * @param forced what a repeated forced rebase does
 * @param counter what a leader begins with
 * @param close what a node does with its ranges when it stops
 */
public record AllocatorModes(
    Ranges ranges, Answer answer, Forced forced, Counter counter, Close close) {

  /** Every safeguard on. */
  public static final AllocatorModes CORRECT =
      new AllocatorModes(
          Ranges.ONE_REIGN,
          Answer.WHILE_LEASED,
          Forced.ONCE,
          Counter.STORED,
          Close.LEAVES_RANGES);

  /** How long a range in memory may be used. */
  public enum Ranges {
    /** In the reign that reserved it: dropped on becoming leader, and compared at each use. */
    ONE_REIGN,
    /** Until the node becomes leader again: dropped then, but not compared. */
    UNTIL_NEXT_REIGN,
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

  /** What a forced rebase does that comes again because its reply was lost. */
  public enum Forced {
    /** Nothing: its request is recognised. */
    ONCE,
    /** It sets the counter anew. */
    EACH_TIME
  }

  /** What a leader begins a table with. */
  public enum Counter {
    /** The stored counter: the highest id that was ever reserved. */
    STORED,
    /** The highest id among the rows that are there. */
    HIGHEST_ROW
  }

  /** What a node does with its ranges when it stops. */
  public enum Close {
    /** Nothing: what is left of them is a gap. */
    LEAVES_RANGES,
    /** Sets each stored counter back to the last id it handed out, leader or not. */
    WRITES_BACK
  }

  public AllocatorModes with(Ranges value) {
    return new AllocatorModes(value, answer, forced, counter, close);
  }

  public AllocatorModes with(Answer value) {
    return new AllocatorModes(ranges, value, forced, counter, close);
  }

  public AllocatorModes with(Forced value) {
    return new AllocatorModes(ranges, answer, value, counter, close);
  }

  public AllocatorModes with(Counter value) {
    return new AllocatorModes(ranges, answer, forced, value, close);
  }

  public AllocatorModes with(Close value) {
    return new AllocatorModes(ranges, answer, forced, counter, value);
  }
}
