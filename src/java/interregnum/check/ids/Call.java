package interregnum.check.ids;

import java.util.Objects;

/**
 * One call on one table and what it says about the table's counter: at some moment between its
 * invocation and its completion the counter passed from below {@code low} to {@code high}.
 *
 * <p>An allocation has the ids it returned; an explicit insert has its own id as {@code low} and
 * {@code high}; a read of the next id {@code q} has {@code low = q} and {@code high = q - 1}. So
 * one rule orders them all: whatever was invoked after a call completed has a larger {@code low}
 * than the call's {@code high}.
 *
 * @param invoke history index of the invocation
 * @param complete history index of the completion, {@link #NEVER} if none was seen
 * @param beganNanos time of the invocation, in nanoseconds since the start of the run
 * @param process who called
 * @param low the smallest id
 * @param high the largest id
 * @param ids every id of an allocation in the order they were returned; empty for other calls
 * @param op the completion, for reports
 */
public record Call(
    long invoke,
    long complete,
    long beganNanos,
    long process,
    long low,
    long high,
    long[] ids,
    Object op) {

  /** Completion index of a call that was never seen to complete: it orders nothing after it. */
  public static final long NEVER = Long.MAX_VALUE;

  public Call {
    Objects.requireNonNull(ids, "ids");
    if (complete <= invoke) {
      throw new IllegalArgumentException("complete=" + complete + " <= invoke=" + invoke);
    }
  }
}
