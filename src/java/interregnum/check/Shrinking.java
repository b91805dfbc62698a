package interregnum.check;

import interregnum.check.history.History;
import interregnum.check.model.Effect;
import interregnum.check.model.Model;
import interregnum.check.search.DepthFirstSearch;
import interregnum.check.search.Finding;
import interregnum.check.search.ForwardSearch;
import interregnum.check.search.Problem;
import interregnum.check.search.Stop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Cuts the part of a history that ends with an inexplicable completion down to the operations that
 * make it so.
 *
 * <p>Every step only weakens what is claimed about the whole: a read is left out, or an operation
 * that took effect is regarded as one that may have. If the rest is still not linearizable, neither
 * is the whole. Where all states are known, operations before a window are left out as well, and
 * the window may begin in any state.
 */
final class Shrinking {

  private static final int TRIALS_MAX = 4_000;
  private static final int WIDTH_MAX = 1 << 14;
  private static final int VISITED_MAX = 500_000;
  private static final int CRASHED_PER_CALL = 4;

  private final Model model;
  private final History history;
  private final int operation;
  private final Stop stop;
  private List<Problem.Start> starts;
  private int trials;

  Shrinking(Model model, History history, int operation, Stop stop, long deadlineNanos) {
    this.model = model;
    this.history = history;
    this.operation = operation;
    this.stop = stop.until(deadlineNanos);
  }

  /** An operation that is kept, and whether it must have taken effect. */
  private record Kept(int operation, boolean required) {}

  /** Returns a counterexample, or empty if there was no time to find one. */
  Optional<Counterexample> run() {
    int end = history.complete(operation);
    Problem whole = new Problem(model, history.before(end + 1), stop);
    boolean anyStart = whole.closed();
    List<Kept> kept = null;
    if (anyStart) {
      starts = whole.states();
      kept = window(end);
    }
    if (kept == null) {
      anyStart = false;
      starts = List.of(new Problem.Start(model.initial()));
      kept = from(0, end, Integer.MAX_VALUE);
      if (kept.size() > 2_000 || !refuted(kept)) {
        return Optional.empty();
      }
    }
    List<Kept> small = weaken(kept);
    History alone = select(small);
    return Optional.of(new Counterexample(alone, starts, !anyStart, verified(alone)));
  }

  /** The shortest window before {@code end} that is refuted from any state; null if none is. */
  private List<Kept> window(int end) {
    int[] ends = completions(end);
    int length = 1;
    while (!refuted(from(startOf(ends, length), end, CRASHED_PER_CALL))) {
      if (length >= ends.length || length > 4_096 || exhausted()) {
        return null;
      }
      length *= 2;
    }
    int low = length / 2;
    int high = length;
    while (low + 1 < high) {
      int middle = (low + high) / 2;
      if (refuted(from(startOf(ends, middle), end, CRASHED_PER_CALL))) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return from(startOf(ends, high), end, CRASHED_PER_CALL);
  }

  private int[] completions(int end) {
    int[] ends = new int[history.size()];
    int n = 0;
    for (int i = 0; i < history.size(); i++) {
      if (history.complete(i) <= end) {
        ends[n++] = history.complete(i);
      }
    }
    int[] sorted = java.util.Arrays.copyOf(ends, n);
    java.util.Arrays.sort(sorted);
    return sorted;
  }

  /** A window over the last {@code length} completions begins before their earliest invocation. */
  private int startOf(int[] ends, int length) {
    if (length >= ends.length) {
      return 0;
    }
    int firstEnd = ends[ends.length - length];
    int start = firstEnd;
    for (int i = 0; i < history.size(); i++) {
      if (history.complete(i) >= firstEnd && history.complete(i) <= ends[ends.length - 1]) {
        start = Math.min(start, history.invoke(i));
      }
    }
    return start;
  }

  /** All operations that matter between two positions. */
  private List<Kept> from(int start, int end, int crashedPerCall) {
    List<Kept> kept = new ArrayList<>();
    Map<Object, Integer> crashed = new HashMap<>();
    for (int i = 0; i < history.size() && history.invoke(i) < end; i++) {
      boolean required = history.invoke(i) >= start && history.complete(i) <= end;
      boolean reads = model.effect(history.call(i)) == Effect.READ;
      if (required) {
        kept.add(new Kept(i, true));
      } else if (history.complete(i) >= start && !reads) {
        boolean lost = history.complete(i) > end && history.invoke(i) < start;
        if (!lost || crashed.merge(history.call(i), 1, Integer::sum) <= crashedPerCall) {
          kept.add(new Kept(i, false));
        }
      }
    }
    return kept;
  }

  private History select(List<Kept> kept) {
    History.Selection selection = new History.Selection(kept.size());
    for (Kept k : kept) {
      int complete = k.required() ? history.complete(k.operation()) : History.NEVER;
      selection.add(history, k.operation(), history.call(k.operation()), complete);
    }
    return selection.history();
  }

  private boolean refuted(List<Kept> kept) {
    trials++;
    History alone = select(kept);
    Problem problem = new Problem(model.focusedOn(alone), starts, alone, stop);
    return new ForwardSearch(problem).run(WIDTH_MAX) instanceof Finding.NotLinearizable;
  }

  private boolean exhausted() {
    return trials > TRIALS_MAX || stop.requested();
  }

  /** Weakens as many operations as possible, in ever smaller groups. */
  private List<Kept> weaken(List<Kept> kept) {
    List<Kept> now = kept;
    for (int size = Math.max(1, kept.size() / 2); size >= 1; size = size == 1 ? 0 : size / 2) {
      for (int from = 0; from < now.size() && !exhausted(); ) {
        int to = Math.min(now.size(), from + size);
        List<Kept> less = weakened(now, from, to);
        if (!less.equals(now) && refuted(less)) {
          from += size - (now.size() - less.size());
          now = less;
        } else {
          from = to;
        }
      }
    }
    return withoutBystanders(now);
  }

  private List<Kept> weakened(List<Kept> kept, int from, int to) {
    List<Kept> less = new ArrayList<>(kept.subList(0, from));
    for (Kept k : kept.subList(from, to)) {
      boolean last = k.operation() == operation;
      boolean reads = model.effect(history.call(k.operation())) == Effect.READ;
      if (last || !reads) {
        less.add(last ? k : new Kept(k.operation(), false));
      }
    }
    less.addAll(kept.subList(to, kept.size()));
    return less;
  }

  /**
   * Leaves out optional operations that began before the required ones, where an equal one is kept:
   * the contradiction does not depend on their number as far as it was searched.
   */
  private List<Kept> withoutBystanders(List<Kept> kept) {
    int firstRequired =
        kept.stream()
            .filter(Kept::required)
            .mapToInt(k -> history.invoke(k.operation()))
            .min()
            .orElse(0);
    Map<Object, Integer> seen = new HashMap<>();
    List<Kept> rest = new ArrayList<>();
    for (Kept k : kept) {
      boolean early = !k.required() && history.invoke(k.operation()) < firstRequired;
      if (!early || seen.merge(history.call(k.operation()), 1, Integer::sum) == 1) {
        rest.add(k);
      }
    }
    return rest;
  }

  private boolean verified(History alone) {
    Problem problem = new Problem(model.focusedOn(alone), starts, alone, stop);
    if (problem.closed() && new DepthFirstSearch(problem).refutesGenerously(VISITED_MAX)) {
      return true;
    }
    Finding finding = new DepthFirstSearch(new Problem(model.focusedOn(alone), starts, alone, stop))
            .run(VISITED_MAX);
    return finding instanceof Finding.NotLinearizable;
  }
}
