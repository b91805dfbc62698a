package interregnum.check;

import interregnum.check.fast.Conflict;
import interregnum.check.fast.FastCheck;
import interregnum.check.history.History;
import interregnum.check.model.Model;
import interregnum.check.search.DepthFirstSearch;
import interregnum.check.search.Finding;
import interregnum.check.search.ForwardSearch;
import interregnum.check.search.Problem;
import interregnum.check.search.Stop;
import java.util.List;
import java.util.Optional;

/** Checks one part with the cheapest method that suffices. */
final class PartCheck {

  private static final long EXPLAIN_NANOS = 2_000_000_000L;
  private static final long FINAL_STATES_NANOS = 200_000_000L;
  private static final int EXPLAIN_OPERATIONS_MAX = 2_000;
  private static final int EXPLAIN_WIDTH = 4_096;

  private final Part part;
  private final Model model;
  private final History history;
  private final Watch watch;
  private final boolean explain;
  private final boolean spareThread;
  private volatile ForwardSearch search;
  private volatile String reason;

  PartCheck(Part part, Watch watch, boolean explain, boolean spareThread) {
    this.part = part;
    this.model = part.model();
    this.history = part.history();
    this.watch = watch;
    this.explain = explain;
    this.spareThread = spareThread;
  }

  /**
   * What became of the part; neither decided nor failed if it is open.
   *
   * @param finalStates some states possible at the end, if known
   */
  record Answer(
      boolean decided, Optional<Failure> failure, List<Object> finalStates, String method) {}

  Part part() {
    return part;
  }

  /** Why the part was not decided, if the reason lies in itself. */
  Optional<String> reason() {
    return Optional.ofNullable(reason);
  }

  /** How many of its operations begin before the point up to which it is linearizable. */
  int decidedOperations() {
    ForwardSearch now = search;
    return now == null ? 0 : Linearizability.invokedBefore(history, now.reachedPosition());
  }

  /** Checks the part, with an algorithm if one is known to apply or is found. */
  Answer run(Optional<FastCheck> known) {
    Optional<FastCheck> fast =
        known.or(() -> FastCheck.of(model).filter(f -> f.applies(history)));
    return fast.isPresent() ? runFast(fast.get()) : runSearch();
  }

  private Answer runFast(FastCheck fast) {
    Optional<Conflict> conflict = fast.conflict(history);
    return new Answer(
        true,
        conflict.map(c -> fastFailure(fast, c)),
        conflict.isPresent() ? List.of() : finalStates(),
        fast.name());
  }

  /** Finds the first completion that cannot be explained, and the conflict that shows it. */
  private Failure fastFailure(FastCheck fast, Conflict conflict) {
    Conflict best = conflict;
    int low = 0;
    int high = history.end();
    int probe = Math.min(high - 1, endOf(conflict));
    while (low < high) {
      watch.stop().check();
      Optional<Conflict> earlier = fast.conflict(history.before(probe));
      if (earlier.isPresent()) {
        best = earlier.get();
        high = probe;
        probe = Math.min(high - 1, endOf(best));
      } else {
        low = probe + 1;
        probe = low + (high - low) / 2;
      }
    }
    int operation = completedAt(high - 1);
    return new Failure(
        part,
        operation,
        statesBefore(operation),
        false,
        Optional.of(best.reason()),
        alone(best, operation));
  }

  /** Some states possible at the end of a valid history, if they are found soon. */
  private List<Object> finalStates() {
    if (!explain || history.size() > EXPLAIN_OPERATIONS_MAX) {
      return List.of();
    }
    try {
      Stop stop = watch.stop().until(deadline(FINAL_STATES_NANOS));
      Problem problem = new Problem(model.focusedOn(history), history, stop);
      return new ForwardSearch(problem).run(EXPLAIN_WIDTH) instanceof Finding.Linearizable finding
          ? finding.finalStates()
          : List.of();
    } catch (Stop.Stopped e) {
      return List.of();
    }
  }

  /** Some states possible before an operation that cannot be explained, if they are found soon. */
  private List<Object> statesBefore(int operation) {
    if (!explain || operation > EXPLAIN_OPERATIONS_MAX) {
      return List.of();
    }
    History beginning = history.before(history.complete(operation) + 1);
    try {
      Stop stop = watch.stop().until(deadline(EXPLAIN_NANOS));
      Problem problem = new Problem(model.focusedOn(beginning), beginning, stop);
      return new ForwardSearch(problem).run(EXPLAIN_WIDTH)
              instanceof Finding.NotLinearizable finding
          ? finding.possibleStates()
          : List.of();
    } catch (Stop.Stopped e) {
      return List.of();
    }
  }

  private int endOf(Conflict conflict) {
    return 1
        + conflict.operations().stream()
            .mapToInt(history::complete)
            .filter(end -> end != History.NEVER)
            .max()
            .orElse(history.end() - 1);
  }

  private int completedAt(int position) {
    for (int i = 0; i < history.size(); i++) {
      if (history.complete(i) == position) {
        return i;
      }
    }
    throw new IllegalStateException("no operation completes at position " + position);
  }

  private Optional<Counterexample> alone(Conflict conflict, int operation) {
    int[] operations =
        java.util.stream.IntStream.concat(
                conflict.operations().stream().mapToInt(i -> i),
                java.util.stream.IntStream.of(operation))
            .distinct()
            .sorted()
            .toArray();
    if (operations.length > 64) {
      return Optional.empty();
    }
    History small = history.select(operations);
    return Optional.of(
        new Counterexample(
            small, List.of(new Problem.Start(model.initial())), true, refuted(small)));
  }

  private boolean refuted(History small) {
    try {
      Stop stop = watch.stop().until(deadline(EXPLAIN_NANOS));
      Finding finding = new DepthFirstSearch(new Problem(model, small, stop)).run();
      return finding instanceof Finding.NotLinearizable;
    } catch (Stop.Stopped e) {
      return false;
    }
  }

  /** When an explanation that may take {@code nanos} has to end at the latest. */
  private long deadline(long nanos) {
    long now = System.nanoTime();
    return now + Math.min(nanos, Math.max(0, watch.deadlineNanos() - now));
  }

  private Answer runSearch() {
    Model focused = model.focusedOn(history);
    Problem problem = new Problem(focused, history, watch.stop());
    search = new ForwardSearch(problem);
    Competitor competitor =
        spareThread && !problem.closed() ? new Competitor(focused, history, watch.stop()) : null;
    Finding finding = competitor == null ? search.run() : competitor.race(search);
    if (finding instanceof Finding.Linearizable valid) {
      return new Answer(true, Optional.empty(), valid.finalStates(), "search");
    }
    if (finding instanceof Finding.NotLinearizable first) {
      Failure failure =
          new Failure(
              part,
              first.operation(),
              first.possibleStates(),
              first.exact(),
              Optional.empty(),
              explain ? shrink(first.operation()) : Optional.empty());
      return new Answer(true, Optional.of(failure), List.of(), "search");
    }
    reason = ((Finding.Undecided) finding).reason();
    return new Answer(false, Optional.empty(), List.of(), "search");
  }

  private Optional<Counterexample> shrink(int operation) {
    try {
      return new Shrinking(model, history, operation, watch.stop(), deadline(EXPLAIN_NANOS)).run();
    } catch (Stop.Stopped e) {
      return Optional.empty();
    }
  }
}
