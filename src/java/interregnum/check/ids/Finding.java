package interregnum.check.ids;

/**
 * Two calls that contradict each other.
 *
 * @param earlier the call whose ids should have been smaller, or that had an id first
 * @param later the call that broke the promise
 */
public record Finding(Call earlier, Call later) {

  /** How many ids the later call lies too low. */
  public long depth() {
    return earlier.high() - later.low() + 1;
  }
}
