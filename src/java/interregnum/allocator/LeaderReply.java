package interregnum.allocator;

/** What the leader side answers. */
sealed interface LeaderReply {

  /** The ids in {@code (min, max]}. */
  record Granted(long min, long max, long term) implements LeaderReply {}

  /** The counter stands where it was asked to, or did so before. */
  record Moved(long term) implements LeaderReply {}

  record Exhausted() implements LeaderReply {}

  /** Nothing was done: this node does not reign. */
  record NotLeader() implements LeaderReply {}

  /** Nothing was done, for a reason that may pass. */
  record Failed(String reason) implements LeaderReply {}

  /** The counter may have been moved, or may yet be; ids that were reserved are lost. */
  record Unknown(String reason) implements LeaderReply {}
}
