package interregnum.coordinator;

/**
 * How far a job has come.
 *
 * <pre>
 *   queued -> running -> done -> synced
 *     |          |
 *     |          +-> cancelling -> rolling back -> rolled back
 *     +-> cancelled
 * </pre>
 *
 * <p>A job that is synced, cancelled or rolled back stands in the history.
 */
public enum JobState {
  QUEUED,
  RUNNING,
  /** Its last step is committed; the nodes are still to see it. */
  DONE,
  SYNCED,
  /** Someone asked for its end; its next step undoes the first one. */
  CANCELLING,
  ROLLING_BACK,
  ROLLED_BACK,
  CANCELLED;

  /** Whether no step is left. */
  public boolean isOver() {
    return this == DONE || this == SYNCED || this == ROLLED_BACK || this == CANCELLED;
  }
}
