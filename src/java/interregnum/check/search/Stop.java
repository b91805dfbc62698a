package interregnum.check.search;

/** A request to end a search, made from another thread. */
public final class Stop {

  private final Stop outer;
  private final long deadlineNanos;
  private volatile String reason;

  /** Creates a request that nobody has made yet. */
  public Stop() {
    this.outer = null;
    this.deadlineNanos = 0;
  }

  private Stop(Stop outer, long deadlineNanos) {
    this.outer = outer;
    this.deadlineNanos = deadlineNanos;
  }

  /** Returns a request for a part of a search, which also ends at a point of System.nanoTime(). */
  public Stop until(long nanos) {
    return new Stop(this, nanos);
  }

  /** Asks the search to end; the first reason given stays. */
  public void request(String why) {
    if (reason == null) {
      reason = why;
    }
  }

  /** Whether the search was asked to end. */
  public boolean requested() {
    if (reason == null && outer != null) {
      if (outer.requested()) {
        reason = outer.reason();
      } else if (System.nanoTime() - deadlineNanos > 0) {
        reason = "its share of the time was used up";
      }
    }
    return reason != null;
  }

  /** Why it was asked to end, or null. */
  public String reason() {
    return reason;
  }

  /** Throws if the search was asked to end. */
  public void check() {
    if (requested()) {
      throw new Stopped();
    }
  }

  /** Thrown inside a search to unwind it; never leaves the package's public methods unmarked. */
  public static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1;

    Stopped() {
      super(null, null, false, false);
    }
  }
}
