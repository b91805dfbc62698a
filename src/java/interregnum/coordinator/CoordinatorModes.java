package interregnum.coordinator;

/**
 * The safeguards of the coordinator, each of which can be left out.
 *
 * @param version how a step gets its schema version
 * @param fencing what keeps a deposed owner from committing a step
 * @param sealing what a new owner does about versions without a diff
 * @param jobCheck whether a step insists on the job as it was when it was picked up
 * @param takeover what a new owner does about a job in the middle
 * @param retire what becomes of the work of a reign that ends
 * @param ack when the client is told that its change is done
 * @param mdlRows whose metadata lock rows an owner deletes
 * @param afterAbort from where a step goes on whose commit failed
 */
public record CoordinatorModes(
    Version version,
    Fencing fencing,
    Sealing sealing,
    JobCheck jobCheck,
    Takeover takeover,
    Retire retire,
    Ack ack,
    MdlRows mdlRows,
    AfterAbort afterAbort) {

  /** Every safeguard on. */
  public static final CoordinatorModes CORRECT =
      new CoordinatorModes(
          Version.WITH_THE_DIFF,
          Fencing.TERM,
          Sealing.NONE,
          JobCheck.SAME_BYTES,
          Takeover.WAITS,
          Retire.JOINS,
          Ack.AFTER_SYNC,
          MdlRows.OWN,
          AfterAbort.READS_AGAIN);

  /** How a step gets its schema version. */
  public enum Version {
    WITH_THE_DIFF,
    /** In a transaction of its own, before the step's; an aborted step leaves a hole. */
    BEFOREHAND
  }

  /** What keeps a deposed owner from committing a step. */
  public enum Fencing {
    TERM,
    /** A look at the node's own flag before the commit. */
    LOCAL_FLAG,
    NONE
  }

  /** What a new owner does about versions without a diff. */
  public enum Sealing {
    NONE,
    /** Writes empty diffs for them, which a late commit of a predecessor conflicts with. */
    EMPTY_DIFFS
  }

  /** Whether a step insists on the job as it was when it was picked up. */
  public enum JobCheck {
    SAME_BYTES,
    /** What was written to the job in between, such as its cancellation, is overwritten. */
    NONE
  }

  /** What a new owner does about a job in the middle. */
  public enum Takeover {
    WAITS,
    /** Does the next step without waiting for the nodes to have seen the last one. */
    GOES_ON
  }

  /** What becomes of the work of a reign that ends. */
  public enum Retire {
    JOINS,
    /** It is left to itself. */
    ABANDONS
  }

  /** When the client is told that its change is done. */
  public enum Ack {
    AFTER_SYNC,
    BEFORE_SYNC
  }

  /** Whose metadata lock rows an owner deletes. */
  public enum MdlRows {
    OWN,
    /** The job's row, by whomever and for whatever version it was written; without a fence. */
    ANY
  }

  /** From where a step goes on whose commit failed. */
  public enum AfterAbort {
    READS_AGAIN,
    /** From the job as the failed step had changed it in memory. */
    KEEPS_STATE
  }

  public CoordinatorModes with(Version value) {
    return new CoordinatorModes(
        value, fencing, sealing, jobCheck, takeover, retire, ack, mdlRows, afterAbort);
  }

  public CoordinatorModes with(Fencing value) {
    return new CoordinatorModes(
        version, value, sealing, jobCheck, takeover, retire, ack, mdlRows, afterAbort);
  }

  public CoordinatorModes with(Sealing value) {
    return new CoordinatorModes(
        version, fencing, value, jobCheck, takeover, retire, ack, mdlRows, afterAbort);
  }

  public CoordinatorModes with(JobCheck value) {
    return new CoordinatorModes(
        version, fencing, sealing, value, takeover, retire, ack, mdlRows, afterAbort);
  }

  public CoordinatorModes with(Takeover value) {
    return new CoordinatorModes(
        version, fencing, sealing, jobCheck, value, retire, ack, mdlRows, afterAbort);
  }

  public CoordinatorModes with(Retire value) {
    return new CoordinatorModes(
        version, fencing, sealing, jobCheck, takeover, value, ack, mdlRows, afterAbort);
  }

  public CoordinatorModes with(Ack value) {
    return new CoordinatorModes(
        version, fencing, sealing, jobCheck, takeover, retire, value, mdlRows, afterAbort);
  }

  public CoordinatorModes with(MdlRows value) {
    return new CoordinatorModes(
        version, fencing, sealing, jobCheck, takeover, retire, ack, value, afterAbort);
  }

  public CoordinatorModes with(AfterAbort value) {
    return new CoordinatorModes(
        version, fencing, sealing, jobCheck, takeover, retire, ack, mdlRows, value);
  }
}
