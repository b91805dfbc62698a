package interregnum.check.search;

import interregnum.check.history.History;
import interregnum.check.model.Call;
import interregnum.check.model.Effect;
import interregnum.check.model.Model;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A history and a model prepared for a search: equal calls have one class, events are in one array,
 * and crashed operations that can change nothing are gone.
 *
 * <p>An event is {@code 2 * operation} for an invocation and {@code 2 * operation + 1} for a
 * completion. Not thread-safe, as its transitions are computed when needed.
 */
public final class Problem {

  final History history;
  final Transitions transitions;
  final int[] events;
  final int[] classOf;
  final Call[] classes;
  final Stop stop;
  /** States with numbers below this one are possible at the beginning. */
  final int startCount;
  private final boolean[] overwrites;
  private final boolean[] reads;
  private final int[][] weaker;

  /** Prepares the search of {@code history} from the model's initial state. */
  public Problem(Model model, History history, Stop stop) {
    this(model, List.of(new Start(model.initial())), history, stop);
  }

  /** A state before the first operation, possibly nil. */
  public record Start(Object state) {}

  /** Prepares the search of a history that may begin in any of the given states. */
  public Problem(Model model, List<Start> starts, History history, Stop stop) {
    this.startCount = starts.size();
    this.history = history;
    this.stop = stop;
    this.classOf = new int[history.size()];
    this.classes = classify(history, classOf);
    this.transitions = new Transitions(model, starts, classes, stop);
    this.overwrites = new boolean[classes.length];
    this.reads = new boolean[classes.length];
    for (int c = 0; c < classes.length; c++) {
      reads[c] = transitions.effect(c) == Effect.READ;
      overwrites[c] = transitions.effect(c) == Effect.OVERWRITE;
    }
    this.events = order(history);
    this.weaker = weaker(history);
  }

  private static Call[] classify(History history, int[] classOf) {
    Map<Call, Integer> numbers = new HashMap<>();
    for (int i = 0; i < classOf.length; i++) {
      Integer known = numbers.putIfAbsent(history.call(i), numbers.size());
      classOf[i] = known == null ? numbers.size() - 1 : known;
    }
    Call[] classes = new Call[numbers.size()];
    numbers.forEach((call, number) -> classes[number] = call);
    return classes;
  }

  private int[] order(History h) {
    int[] byPosition = new int[h.end()];
    Arrays.fill(byPosition, -1);
    for (int i = 0; i < h.size(); i++) {
      if (h.crashed(i) && reads[classOf[i]]) {
        continue;
      }
      byPosition[h.invoke(i)] = 2 * i;
      if (!h.crashed(i)) {
        byPosition[h.complete(i)] = 2 * i + 1;
      }
    }
    return Arrays.stream(byPosition).filter(e -> e >= 0).toArray();
  }

  /** For every class, the crashed classes that can do part of what it can, and nothing else. */
  private int[][] weaker(History h) {
    boolean[] crashes = new boolean[classes.length];
    for (int i = 0; i < h.size(); i++) {
      crashes[classOf[i]] |= h.crashed(i);
    }
    int[] crashed = new int[classes.length];
    int n = 0;
    for (int c = 0; c < classes.length; c++) {
      if (crashes[c] && !reads[c]) {
        crashed[n++] = c;
      }
    }
    int[][] result = new int[classes.length][];
    if (!transitions.closed() || n > 500) {
      Arrays.fill(result, new int[0]);
      return result;
    }
    int[] some = Arrays.copyOf(crashed, n);
    for (int c = 0; c < classes.length; c++) {
      int strong = c;
      result[c] =
          !crashes[c]
              ? new int[0]
              : Arrays.stream(some)
                  .filter(w -> transitions.covers(strong, w) && !transitions.covers(w, strong))
                  .toArray();
    }
    return result;
  }

  boolean overwrites(int c) {
    return overwrites[c];
  }

  boolean reads(int c) {
    return reads[c];
  }

  int[] weaker(int c) {
    return weaker[c];
  }

  /** Whether all reachable states are known. */
  public boolean closed() {
    return transitions.closed();
  }

  /** All states known so far. */
  public List<Start> states() {
    return IntStream.range(0, transitions.stateCount())
        .mapToObj(s -> new Start(transitions.state(s)))
        .toList();
  }

  /** The state with the given number. */
  public Object state(int number) {
    return transitions.state(number);
  }
}
