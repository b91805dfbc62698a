package interregnum.schema;

/**
 * The safeguards of a node's schema, each of which can be left out.
 *
 * @param holes what the loader does about a version without a diff
 * @param report when the node looks for jobs to report
 * @param lock whether transactions hold the tables they use at their version
 * @param fencing whether a node without a session is kept from using what it knows
 * @param removals whether the loader takes removed tables away
 */
public record SchemaModes(
    Holes holes, Report report, MetadataLock lock, Fencing fencing, Removals removals) {

  /** Every safeguard on. */
  public static final SchemaModes CORRECT =
      new SchemaModes(
          Holes.CHECKED_AGAIN,
          Report.ALWAYS,
          MetadataLock.ON,
          Fencing.SESSION,
          Removals.APPLIED);

  /** What the loader does about a version without a diff. */
  public enum Holes {
    /** Steps over it, and loads everything if its diff turns up later. */
    CHECKED_AGAIN,
    /** Steps over it only when it has been missing for a while. */
    AWAITED,
    /** Steps over it for good. */
    SKIPPED
  }

  /** When the node looks for jobs to report. */
  public enum Report {
    ALWAYS,
    /** Only when the version has grown since it last looked, or something was held up then. */
    IF_NEWER
  }

  /** Whether transactions hold the tables they use at their version. */
  public enum MetadataLock {
    ON,
    /**
     * A commit looks whether the tables have changed, and nothing keeps them from changing then.
     */
    OFF
  }

  /** Whether a node without a session is kept from using what it knows. */
  public enum Fencing {
    SESSION,
    NONE
  }

  /** Whether the loader takes removed tables away. */
  public enum Removals {
    APPLIED,
    /** A dropped or renamed table stays known under its old name until everything is loaded. */
    KEPT
  }

  public SchemaModes with(Holes value) {
    return new SchemaModes(value, report, lock, fencing, removals);
  }

  public SchemaModes with(Report value) {
    return new SchemaModes(holes, value, lock, fencing, removals);
  }

  public SchemaModes with(MetadataLock value) {
    return new SchemaModes(holes, report, value, fencing, removals);
  }

  public SchemaModes with(Fencing value) {
    return new SchemaModes(holes, report, lock, value, removals);
  }

  public SchemaModes with(Removals value) {
    return new SchemaModes(holes, report, lock, fencing, value);
  }
}
