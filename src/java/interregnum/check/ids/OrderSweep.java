package interregnum.check.ids;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Order of ids against the order of calls. Each sweep costs O(n log n) or less and reports every
 * call that came out too low once, against the highest call before it.
 */
public final class OrderSweep {
  private OrderSweep() {}

  /**
   * Calls of {@code later} whose {@code low} does not exceed the {@code high} of some call of
   * {@code earlier} that completed before they were invoked.
   *
   * @param earlier in order of completion
   * @param later in order of completion
   * @param keep how many findings to keep
   */
  public static Findings realTime(List<Call> earlier, List<Call> later, int keep) {
    Findings findings = new Findings(keep);
    long[] completed = new long[earlier.size()];
    Call[] highest = new Call[earlier.size()];
    Call top = null;
    for (int i = 0; i < completed.length; i++) {
      Call call = earlier.get(i);
      if (i > 0 && call.complete() < completed[i - 1]) {
        throw new IllegalArgumentException("calls are not in order of completion at " + i);
      }
      top = top == null || call.high() > top.high() ? call : top;
      completed[i] = call.complete();
      highest[i] = top;
    }
    for (Call call : later) {
      int before = countBelow(completed, call.invoke());
      if (before > 0 && highest[before - 1].high() >= call.low()) {
        findings.add(new Finding(highest[before - 1], call));
      }
    }
    return findings;
  }

  /**
   * Calls whose {@code low} does not exceed the {@code high} of an earlier call of the same
   * process.
   *
   * @param calls in order of completion
   * @param keep how many findings to keep
   */
  public static Findings session(List<Call> calls, int keep) {
    Findings findings = new Findings(keep);
    Map<Long, Call> highest = new HashMap<>();
    for (Call call : calls) {
      Call before = highest.get(call.process());
      if (before != null && before.high() >= call.low()) {
        findings.add(new Finding(before, call));
      }
      if (before == null || call.high() > before.high()) {
        highest.put(call.process(), call);
      }
    }
    return findings;
  }

  /** How many elements of the ascending {@code values} are less than {@code bound}. */
  private static int countBelow(long[] values, long bound) {
    int from = 0;
    int to = values.length;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (values[middle] < bound) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }
}
