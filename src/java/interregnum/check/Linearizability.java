package interregnum.check;

import interregnum.check.history.History;
import interregnum.check.history.HistoryException;
import interregnum.check.history.Recording;
import interregnum.check.model.Model;
import interregnum.check.search.ModelException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The checker: decides whether a recorded history is linearizable with respect to a model.
 *
 * <p>Independent parts are checked apart and in parallel. For each the cheapest sufficient method
 * is taken: an algorithm for the data type if the history has the form it needs, a forward search,
 * and where states are many a depth-first search beside it. Everything that touches the model runs
 * on threads that are watched, so that the budget holds whatever the model does.
 */
public final class Linearizability {

  private Linearizability() {}

  /**
   * Checks a history.
   *
   * @throws ModelException if the model fails
   * @throws HistoryException if an operation does not fit the model
   */
  public static Result check(Model model, Recording recording, Budget budget) {
    long begin = System.nanoTime();
    if (recording.operations() == 0) {
      return untested(model, recording, "the history is empty: nothing was tested");
    }
    if (recording.successes() == 0) {
      return untested(model, recording, "no operation succeeded: nothing was tested");
    }
    Watch watch = new Watch(budget, begin);
    Work work = new Work(model, recording, budget, watch);
    watch.run(work);
    return result(model, recording, work, watch, begin);
  }

  private static Result untested(Model model, Recording recording, String reason) {
    return new Result(
        Verdict.UNKNOWN,
        model.name(),
        recording.operations(),
        0,
        0,
        "none",
        List.of(),
        List.of(
            new Result.OpenPart(
                new Part(java.util.Set.of(), model, new Recording("event").history(model)),
                reason,
                0,
                recording.operations(),
                "record a history in which operations succeed")),
        List.of(),
        0);
  }

  private static Result result(
      Model model, Recording recording, Work work, Watch watch, long begin) {
    List<Failure> failures = new ArrayList<>(work.failures());
    failures.sort(
        Comparator.comparingInt(f -> f.part().history().complete(f.operation())));
    List<Result.OpenPart> open = work.open(watch.stop().reason());
    int valid = work.validParts();
    Verdict verdict =
        !failures.isEmpty()
            ? Verdict.INVALID
            : valid == work.partCount() && open.isEmpty() ? Verdict.VALID : Verdict.UNKNOWN;
    return new Result(
        verdict,
        model.name(),
        recording.operations(),
        work.partCount(),
        valid,
        work.methods(),
        List.copyOf(failures),
        open,
        work.finalStates(),
        (System.nanoTime() - begin) / 1_000_000);
  }

  /** Number of operations of a history that were invoked before a position. */
  static int invokedBefore(History history, int position) {
    int n = 0;
    while (n < history.size() && history.invoke(n) < position) {
      n++;
    }
    return n;
  }
}
