package interregnum.check.report;

import interregnum.check.Counterexample;
import interregnum.check.Failure;
import interregnum.check.history.History;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The operations to show for a failure: those of its counterexample, or else those around the
 * completion that cannot be explained.
 */
final class Window {

  private static final int OPERATIONS_MAX = 120;

  /** What part an operation plays. */
  enum Role {
    /** Its completion cannot be explained. */
    FAILING,
    /** It took effect and matters. */
    REQUIRED,
    /** It may have taken effect, and it would not help if it did. */
    OPTIONAL
  }

  /**
   * An operation to show.
   *
   * @param operation number in the failing part's history
   */
  record Shown(int operation, Role role) {}

  private Window() {}

  /** Returns what to show, by invocation. */
  static List<Shown> of(Failure failure) {
    List<Shown> shown =
        new ArrayList<>(
            failure
                .counterexample()
                .map(c -> ofCounterexample(failure, c))
                .orElseGet(() -> around(failure)));
    if (shown.size() > OPERATIONS_MAX) {
      shown.sort(
          Comparator.comparing(Shown::role)
              .thenComparing(s -> -failure.part().history().invoke(s.operation())));
      shown = new ArrayList<>(shown.subList(0, OPERATIONS_MAX));
    }
    shown.sort(Comparator.comparingInt(Shown::operation));
    return shown;
  }

  private static List<Shown> ofCounterexample(Failure failure, Counterexample counterexample) {
    History whole = failure.part().history();
    History alone = counterexample.history();
    List<Shown> shown = new ArrayList<>();
    int begin = firstRequired(alone);
    int op = 0;
    for (int i = 0; i < alone.size(); i++) {
      while (whole.invoke(op) != alone.invoke(i)) {
        op++;
      }
      if (whole.crashed(op) && whole.invoke(op) < begin) {
        continue;
      }
      Role role = alone.crashed(i) ? Role.OPTIONAL : Role.REQUIRED;
      shown.add(new Shown(op, op == failure.operation() ? Role.FAILING : role));
    }
    return shown;
  }

  /** Operations that crashed before this are left out: there may be many, and none helps. */
  private static int firstRequired(History alone) {
    int first = History.NEVER;
    for (int i = 0; i < alone.size(); i++) {
      first = alone.crashed(i) ? first : Math.min(first, alone.invoke(i));
    }
    return first;
  }

  private static List<Shown> around(Failure failure) {
    History history = failure.part().history();
    int end = history.complete(failure.operation());
    int start = history.invoke(failure.operation());
    List<Shown> shown = new ArrayList<>();
    for (int i = 0; i < history.size() && history.invoke(i) < end; i++) {
      if (i == failure.operation()) {
        shown.add(new Shown(i, Role.FAILING));
      } else if (history.complete(i) >= start) {
        shown.add(new Shown(i, history.complete(i) <= end ? Role.REQUIRED : Role.OPTIONAL));
      }
    }
    return shown;
  }
}
