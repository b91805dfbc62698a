package interregnum.check.history;

/** What an event of a history says about its operation. */
public enum EventType {
  /** The operation begins. */
  INVOKE,
  /** It certainly took effect. */
  OK,
  /** It certainly did not and will not take effect. */
  FAIL,
  /** Nobody knows; it may still take effect. */
  INFO
}
