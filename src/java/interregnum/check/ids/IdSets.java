package interregnum.check.ids;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Ids as sets: which occur twice, and how many between them were never seen. */
public final class IdSets {
  private IdSets() {}

  /**
   * Calls that returned an id which an earlier call, or the same call, had returned already.
   *
   * @param calls in order of completion
   * @param keep how many findings to keep
   */
  public static Findings duplicates(List<Call> calls, int keep) {
    Findings findings = new Findings(keep);
    long[] repeated = repeated(sortedIds(calls));
    if (repeated.length == 0) {
      return findings;
    }
    Map<Long, Call> holders = new HashMap<>();
    for (Call call : calls) {
      Call holder = null;
      for (long id : call.ids()) {
        if (Arrays.binarySearch(repeated, id) >= 0) {
          Call before = holders.putIfAbsent(id, call);
          holder = holder == null ? before : holder;
        }
      }
      if (holder != null) {
        findings.add(new Finding(holder, call));
      }
    }
    return findings;
  }

  /**
   * How many ids from 1 on, below the highest one given out, were not. Ids that lie directly below
   * an explicit value are not missing: inserting it skipped them.
   *
   * @param given ids that were given out, ascending
   * @param explicit explicit values that were or may have been inserted; sorted in place
   */
  public static long missing(long[] given, long[] explicit) {
    Arrays.sort(explicit);
    long missing = 0;
    long reached = 0;
    int next = 0;
    for (long id : given) {
      for (; next < explicit.length && explicit[next] < id; next++) {
        reached = Math.max(reached, explicit[next]);
      }
      missing += Math.max(0, id - reached - 1);
      reached = Math.max(reached, id);
    }
    return missing;
  }

  /** Every id of {@code calls}, ascending. */
  public static long[] sortedIds(List<Call> calls) {
    int count = 0;
    for (Call call : calls) {
      count += call.ids().length;
    }
    long[] ids = new long[count];
    int next = 0;
    for (Call call : calls) {
      System.arraycopy(call.ids(), 0, ids, next, call.ids().length);
      next += call.ids().length;
    }
    Arrays.sort(ids);
    return ids;
  }

  private static long[] repeated(long[] sorted) {
    long[] found = new long[sorted.length];
    int count = 0;
    for (int i = 1; i < sorted.length; i++) {
      boolean isNew = count == 0 || found[count - 1] != sorted[i];
      if (sorted[i] == sorted[i - 1] && isNew) {
        found[count++] = sorted[i];
      }
    }
    return Arrays.copyOf(found, count);
  }
}
