package interregnum.check;

import static org.assertj.core.api.Assertions.assertThat;

import clojure.lang.PersistentVector;
import interregnum.check.history.EventType;
import interregnum.check.history.History;
import interregnum.check.history.Recording;
import interregnum.check.model.Model;
import interregnum.check.model.Register;
import interregnum.check.search.DepthFirstSearch;
import interregnum.check.search.Finding;
import interregnum.check.search.ForwardSearch;
import interregnum.check.search.Problem;
import interregnum.check.search.Stop;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares the searches with brute force on every history of three operations of a register. */
class ExhaustiveTest {

  private record Kind(String f, Object value) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind("read", 0L),
          new Kind("read", 1L),
          new Kind("write", 0L),
          new Kind("write", 1L),
          new Kind("cas", PersistentVector.create(0L, 1L)));

  private final Model model = new Register("cas-register", 0L, true, false);
  private int histories;
  private int valid;

  @Test
  void agreesWithBruteForceOnEveryHistoryOfThreeOperations() {
    int kinds = KINDS.size();
    for (int choice = 0; choice < kinds * kinds * kinds; choice++) {
      Kind[] operations = {
        KINDS.get(choice % kinds),
        KINDS.get(choice / kinds % kinds),
        KINDS.get(choice / kinds / kinds)
      };
      for (int crashes = 0; crashes < 8; crashes++) {
        interleave(operations, crashes, new int[6], 0, new int[3], 0);
      }
    }
    assertThat(histories).isEqualTo(15 * 1000);
    assertThat(valid).isBetween(1, histories - 1);
  }

  /** Tries every order of the events of three operations that are invoked in this order. */
  private void interleave(
      Kind[] operations, int crashes, int[] order, int n, int[] phase, int invoked) {
    if (n == order.length) {
      compare(operations, crashes, order);
      return;
    }
    for (int op = 0; op < phase.length; op++) {
      boolean invocation = phase[op] == 0;
      if (phase[op] < 2 && (!invocation || op == invoked)) {
        order[n] = op;
        phase[op]++;
        interleave(operations, crashes, order, n + 1, phase, invoked + (invocation ? 1 : 0));
        phase[op]--;
      }
    }
  }

  private void compare(Kind[] operations, int crashes, int[] order) {
    Recording recording = new Recording("event");
    int begun = 0;
    for (int i = 0; i < order.length; i++) {
      int op = order[i];
      boolean invocation = (begun >> op & 1) == 0;
      EventType end = (crashes >> op & 1) == 1 ? EventType.INFO : EventType.OK;
      begun |= 1 << op;
      Kind kind = operations[op];
      recording.add(
          new Recording.Event(invocation ? EventType.INVOKE : end, (long) op, kind.f(), kind.value(), null, i, i));
    }
    History history = recording.history(model);
    boolean expected = Oracle.linearizable(model, history);
    Finding forward = new ForwardSearch(new Problem(model, history, new Stop())).run();
    Finding depthFirst = new DepthFirstSearch(new Problem(model, history, new Stop())).run();
    assertThat(forward instanceof Finding.Linearizable).as(describe(history)).isEqualTo(expected);
    assertThat(depthFirst instanceof Finding.Linearizable)
        .as(describe(history))
        .isEqualTo(expected);
    histories++;
    valid += expected ? 1 : 0;
  }

  private static String describe(History history) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < history.size(); i++) {
      out.append(history.call(i)).append(" [").append(history.invoke(i)).append(", ")
          .append(history.complete(i)).append("] ");
    }
    return out.toString();
  }
}
