package interregnum.sql.exec;

/**
 * The safeguards of a client's transactions, each of which can be left out.
 *
 * @param conflict what becomes of a client's transaction that conflicts with another
 */
public record SqlModes(Conflict conflict) {

  /** Every safeguard on. */
  public static final SqlModes CORRECT = new SqlModes(Conflict.REPORTED);

  /** What becomes of a client's transaction whose commit conflicts with another. */
  public enum Conflict {
    /** It fails, and the client decides. */
    REPORTED,
    /** Its statements run again on a new snapshot, whatever the client saw in the old one. */
    REPLAYED
  }

  public SqlModes with(Conflict value) {
    return new SqlModes(value);
  }
}
