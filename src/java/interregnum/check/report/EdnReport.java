package interregnum.check.report;

import interregnum.check.Counterexample;
import interregnum.check.Failure;
import interregnum.check.Result;
import interregnum.check.history.History;
import interregnum.check.model.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Results as EDN maps for programs. */
public final class EdnReport {

  private static final int STATES_SHOWN = 100;

  private EdnReport() {}

  /** Returns the result as one map on one line; {@code file} becomes its {@code :file}. */
  public static String of(String file, Result result) {
    List<String> fields = new ArrayList<>();
    fields.add(":file " + Text.of(file));
    fields.add(
        ":valid? "
            + switch (result.verdict()) {
              case VALID -> "true";
              case INVALID -> "false";
              case UNKNOWN -> ":unknown";
            });
    fields.add(":model " + Text.of(result.model()));
    fields.add(":operation-count " + result.operations());
    fields.add(":key-count " + result.parts());
    fields.add(":valid-key-count " + result.validParts());
    fields.add(":method " + Text.of(result.method()));
    fields.add(":elapsed-ms " + result.elapsedMs());
    if (!result.failures().isEmpty()) {
      fields.add(
          ":failures " + vector(result.failures().stream().map(EdnReport::failure).toList()));
    }
    if (!result.open().isEmpty()) {
      fields.add(":undecided " + vector(result.open().stream().map(EdnReport::open).toList()));
    }
    return map(fields);
  }

  /** Returns what is known of a file that could not be checked, as one map on one line. */
  public static String error(String file, String message) {
    return map(
        List.of(":file " + Text.of(file), ":valid? :unknown", ":error " + Text.of(message)));
  }

  private static String failure(Failure failure) {
    History history = failure.part().history();
    List<String> fields = new ArrayList<>();
    fields.add(":keys " + vector(failure.part().keys().stream().map(Text::of).toList()));
    fields.add(":op " + operation(history, failure.operation(), "ok"));
    int previous = failure.previousOk();
    fields.add(":previous-ok " + (previous < 0 ? "nil" : operation(history, previous, "ok")));
    fields.add(":linearizable-prefix-count " + failure.prefixLength());
    fields.add(
        ":states "
            + vector(
                failure.possibleStates().stream().limit(STATES_SHOWN).map(Text::of).toList()));
    fields.add(":all-states? " + failure.allStates());
    failure.reason().ifPresent(reason -> fields.add(":reason " + Text.of(reason)));
    failure.counterexample().ifPresent(c -> fields.add(":counterexample " + counterexample(c)));
    return map(fields);
  }

  private static String counterexample(Counterexample c) {
    History alone = c.history();
    List<String> operations = new ArrayList<>();
    for (int i = 0; i < alone.size(); i++) {
      operations.add(operation(alone, i, alone.crashed(i) ? "info" : "ok"));
    }
    return map(
        List.of(
            ":operations " + vector(operations),
            ":from-any-state? " + !c.fromBeginning(),
            ":verified? " + c.verified()));
  }

  private static String operation(History history, int op, String type) {
    List<String> fields =
        List.of(
            ":process " + Text.of(history.process(op)),
            ":type :" + type,
            ":f :" + history.call(op).f(),
            ":value " + Text.of(history.call(op).value()),
            ":invoke-index " + history.invokeIndex(op),
            ":index " + history.completeIndex(op));
    return map(fields);
  }

  private static String open(Result.OpenPart open) {
    return map(
        List.of(
            ":keys " + vector(open.part().keys().stream().map(Text::of).toList()),
            ":reason " + Text.of(open.reason()),
            ":decided-count " + open.decidedOperations(),
            ":operation-count " + open.operations(),
            ":advice " + Text.of(open.advice())));
  }

  private static String map(List<String> fields) {
    return fields.stream().collect(Collectors.joining(", ", "{", "}"));
  }

  private static String vector(List<String> values) {
    return values.stream().collect(Collectors.joining(" ", "[", "]"));
  }
}
