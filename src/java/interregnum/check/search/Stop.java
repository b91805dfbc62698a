package interregnum.check.search;

/** A request to end a search, made from another thread. */
public final class Stop {

  private volatile String reason;

  /** Asks the search to end; the first reason given stays. */
  public void request(String why) {
    if (reason == null) {
      reason = why;
    }
  }

  /** Whether the search was asked to end. */
  public boolean requested() {
    return reason != null;
  }

  /** Why it was asked to end, or null. */
  public String reason() {
    return reason;
  }

  /** Throws if the search was asked to end. */
  public void check() {
    if (reason != null) {
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
