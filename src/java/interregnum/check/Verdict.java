package interregnum.check;

/** Whether a history is linearizable. */
public enum Verdict {
  VALID,
  INVALID,
  UNKNOWN
}
