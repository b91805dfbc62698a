package interregnum.check.report;

import interregnum.check.Counterexample;
import interregnum.check.Failure;
import interregnum.check.Result;
import interregnum.check.history.History;
import interregnum.check.model.Text;
import java.util.List;
import java.util.stream.Collectors;

/** Results for people. */
public final class TextReport {

  private static final int STATES_SHOWN = 8;
  private static final int OPTIONAL_SHOWN = 12;
  private static final int PARTS_SHOWN = 10;

  private TextReport() {}

  /** The verdict in a sentence. */
  public static String headline(Result result) {
    return switch (result.verdict()) {
      case VALID -> "linearizable";
      case INVALID -> "NOT linearizable";
      case UNKNOWN -> "unknown: " + result.open().get(0).reason();
    };
  }

  /** Returns the whole report, without a line break at the end. */
  public static String of(Result result) {
    StringBuilder out = new StringBuilder();
    out.append(headline(result)).append('\n');
    out.append("  ").append(result.operations()).append(" operations, model ")
        .append(result.model());
    if (result.parts() > 1) {
      out.append(", ").append(result.parts()).append(" keys, ").append(result.validParts())
          .append(" of them linearizable");
    }
    if (!result.method().isEmpty()) {
      out.append(", by ").append(result.method());
    }
    out.append(", ").append(result.elapsedMs()).append(" ms\n");
    result.failures().stream().limit(PARTS_SHOWN).forEach(f -> failure(out, f));
    more(out, result.failures(), "failing keys");
    result.open().stream().limit(PARTS_SHOWN).forEach(o -> open(out, o));
    more(out, result.open(), "undecided keys");
    return out.toString().stripTrailing();
  }

  private static void more(StringBuilder out, List<?> all, String what) {
    if (all.size() > PARTS_SHOWN) {
      out.append("  and ").append(all.size() - PARTS_SHOWN).append(" more ").append(what)
          .append('\n');
    }
  }

  private static void failure(StringBuilder out, Failure failure) {
    History history = failure.part().history();
    int op = failure.operation();
    String label = failure.part().label();
    out.append(label.isEmpty() ? "" : "  Key " + label + ":\n");
    out.append("  First operation that cannot be linearized: ").append(describe(history, op))
        .append('\n');
    failure.reason().ifPresent(reason -> out.append("  ").append(reason).append('\n'));
    out.append("  Everything before its completion can be linearized (")
        .append(failure.prefixLength()).append(" other operations).\n");
    if (!failure.possibleStates().isEmpty()) {
      out.append("  Right before, the state could be ").append(states(failure)).append('\n');
    }
    failure.counterexample().ifPresent(c -> counterexample(out, failure, c));
  }

  private static String states(Failure failure) {
    String some =
        failure.possibleStates().stream()
            .limit(STATES_SHOWN)
            .map(Text::of)
            .collect(Collectors.joining(" or "));
    boolean all = failure.allStates() && failure.possibleStates().size() <= STATES_SHOWN;
    return some + (all ? "" : ", among others");
  }

  private static void counterexample(StringBuilder out, Failure failure, Counterexample c) {
    History history = failure.part().history();
    out.append("  These operations alone are not linearizable from ")
        .append(c.fromBeginning() ? "the initial state" : "any state")
        .append(c.verified() ? " (a second search agrees):\n" : ":\n");
    int hidden = 0;
    int optional = 0;
    for (Window.Shown shown : Window.of(failure)) {
      if (shown.role() == Window.Role.OPTIONAL && ++optional > OPTIONAL_SHOWN) {
        hidden++;
        continue;
      }
      out.append("    ").append(describe(history, shown.operation()));
      if (shown.role() == Window.Role.OPTIONAL) {
        out.append(" (may have taken effect; does not help)");
      }
      out.append('\n');
    }
    int more = hidden + c.history().size() - Window.of(failure).size();
    if (more > 0) {
      out.append("    and ").append(more)
          .append(" more that may have taken effect and do not help\n");
    }
  }

  /** An operation with its process and the indices of its events. */
  static String describe(History history, int op) {
    String end =
        history.crashed(op)
            ? ", outcome unknown"
            : ".." + history.completeIndex(op);
    return history.call(op).f() + valueText(history, op) + " by process " + history.process(op)
        + ", events " + history.invokeIndex(op) + end;
  }

  private static String valueText(History history, int op) {
    Object value = history.call(op).value();
    String text = value == null ? "" : " " + Text.of(value);
    return text.length() > 80 ? text.substring(0, 80) + "..." : text;
  }

  private static void open(StringBuilder out, Result.OpenPart open) {
    String label = open.part().label();
    out.append("  ").append(label.isEmpty() ? "Undecided" : "Key " + label + " undecided")
        .append(": ").append(open.reason()).append(". The first ")
        .append(open.decidedOperations()).append(" of ").append(open.operations())
        .append(" operations are linearizable. To go on, ").append(open.advice()).append(".\n");
  }
}
