package interregnum.store;

/** How a commit ended. */
public sealed interface CommitResult {

  /** The writes are in the store, at this revision. */
  record Committed(long revision) implements CommitResult {}

  /** Nothing was written: another transaction changed a written or locked key first. */
  record Conflict() implements CommitResult {}

  /** Nothing was written: a required fence no longer holds. */
  record Fenced() implements CommitResult {}

  /** Nothing was written: the store refused or was not reached. */
  record Failed(String reason) implements CommitResult {}

  /** The writes may be in the store, or may yet get there. */
  record Unknown(String reason) implements CommitResult {}
}
