package interregnum.check.model;

/** What a call can do to the state, as far as its model knows without looking at a state. */
public enum Effect {
  /** Leaves every state in which it is possible unchanged. */
  READ,
  /** Is possible in every state and leads to the same state from all of them. */
  OVERWRITE,
  /** Anything else. */
  UPDATE
}
