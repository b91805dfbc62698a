package interregnum.check.ids;

import clojure.lang.PersistentVector;
import interregnum.check.history.EventType;
import interregnum.check.history.Recording;
import java.util.Arrays;
import java.util.List;

/**
 * The calls on one table as a recording for the model of an id counter.
 *
 * <p>An allocation becomes {@code alloc [low high]}, an explicit insert {@code rebase id}. A call
 * that was never seen to complete, but is known to have taken effect, completes at the very end.
 */
public final class CounterRecording {

  private static final int INDEX_SHIFT = 32;
  private static final int AT_THE_END = Integer.MAX_VALUE;

  private CounterRecording() {}

  /** Records calls in the order of their events. Their history indices are below 2^31. */
  public static Recording of(List<Call> allocations, List<Call> explicits) {
    Call[] calls = new Call[allocations.size() + explicits.size()];
    long[] events = new long[2 * calls.length];
    int n = 0;
    for (List<Call> part : List.of(allocations, explicits)) {
      for (Call call : part) {
        calls[n] = call;
        events[2 * n] = call.invoke() << INDEX_SHIFT | 2L * n;
        events[2 * n + 1] = end(call) << INDEX_SHIFT | 2L * n + 1;
        n++;
      }
    }
    Arrays.sort(events);
    Recording recording = new Recording("operation");
    for (long event : events) {
      int number = (int) event >>> 1;
      boolean allocates = number < allocations.size();
      EventType type = (event & 1) == 0 ? EventType.INVOKE : EventType.OK;
      recording.add(event(type, calls[number], allocates));
    }
    return recording;
  }

  private static long end(Call call) {
    return call.complete() == Call.NEVER ? AT_THE_END : call.complete();
  }

  private static Recording.Event event(EventType type, Call call, boolean allocates) {
    Object value =
        allocates ? PersistentVector.create(call.low(), call.high()) : (Object) call.low();
    int index = (int) (type == EventType.INVOKE ? call.invoke() : end(call));
    return new Recording.Event(
        type, call.process(), allocates ? "alloc" : "rebase", value, null, index, index);
  }
}
