package interregnum.check.model;

/** Whole numbers in calls. */
public final class Integers {

  private Integers() {}

  /** Returns the value of the call as a long, or throws with the call in the message. */
  public static long of(Call call) {
    return of(call.value(), call);
  }

  static long of(Object value, Call call) {
    if (value instanceof Long || value instanceof Integer) {
      return ((Number) value).longValue();
    }
    throw new IllegalArgumentException("expected an integer, found " + Text.of(value) + " in "
        + call.f());
  }
}
