package interregnum.check.report;

import interregnum.check.Failure;
import interregnum.check.history.History;
import interregnum.check.model.Text;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A picture of the operations that make a history not linearizable: a row per process, time from
 * left to right in steps of one event, colours for the parts that operations play. Self-contained,
 * as SVG or as HTML around it.
 */
public final class Picture {

  private static final int ROW = 30;
  private static final int BAR = 22;
  private static final int LEFT = 110;
  private static final int TOP = 86;
  private static final int CHARACTER = 7;
  private static final int STEP_MIN = 34;
  private static final int STEP_MAX = 130;
  private static final int WIDTH_AIM = 1500;
  private static final int LABEL_MAX = 40;

  private final Failure failure;
  private final History history;
  private final List<Window.Shown> shown;
  private final Map<Integer, Integer> columns = new LinkedHashMap<>();
  private final Map<Object, Integer> rows = new LinkedHashMap<>();
  private final int step;
  private final StringBuilder out = new StringBuilder();

  private Picture(Failure failure) {
    this.failure = failure;
    this.history = failure.part().history();
    this.shown = Window.of(failure);
    TreeMap<Integer, Boolean> positions = new TreeMap<>();
    int end = history.complete(failure.operation());
    for (Window.Shown s : shown) {
      positions.put(history.invoke(s.operation()), true);
      if (history.complete(s.operation()) <= end) {
        positions.put(history.complete(s.operation()), true);
      }
      rows.putIfAbsent(history.process(s.operation()), rows.size());
    }
    positions.keySet().forEach(position -> columns.put(position, columns.size()));
    this.step =
        Math.max(STEP_MIN, Math.min(STEP_MAX, WIDTH_AIM / Math.max(1, columns.size())));
  }

  /** Returns the picture as an SVG document. */
  public static String svg(Failure failure) {
    return new Picture(failure).draw();
  }

  /** Returns an HTML page with the picture and the report below it. */
  public static String html(Failure failure, String report) {
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        + "<title>Not linearizable</title></head>\n<body style=\"font-family:sans-serif\">\n"
        + svg(failure) + "\n<pre>" + escape(report) + "</pre>\n</body></html>\n";
  }

  private String draw() {
    int width = LEFT + (columns.size() + 1) * step + 20;
    int height = TOP + rows.size() * ROW + 30;
    out.append(
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n")
            .formatted(width, height, width, height));
    out.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    text(10, 22, "bold", headline());
    text(10, 40, "normal", before());
    legend();
    rows.forEach(this::row);
    int end = x(history.complete(failure.operation()));
    out.append(
        ("<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#FF1E90\""
                + " stroke-dasharray=\"4 3\"/>\n")
            .formatted(end, TOP - 6, end, height - 24));
    shown.forEach(this::bar);
    return out.append("</svg>\n").toString();
  }

  private String headline() {
    String label = failure.part().label();
    int op = failure.operation();
    return (label.isEmpty() ? "" : "Key " + label + ": ") + label(op) + " by process "
        + history.process(op) + " cannot be linearized (event " + history.completeIndex(op) + ")";
  }

  private String before() {
    String states =
        failure.possibleStates().stream()
            .limit(6)
            .map(Text::of)
            .map(s -> cut(s, LABEL_MAX))
            .collect(Collectors.joining(" or "));
    return failure
        .reason()
        .orElse(states.isEmpty() ? "" : "Right before, the state could be " + states);
  }

  private void legend() {
    int x = 10;
    for (Window.Role role : Window.Role.values()) {
      out.append(
          "<rect x=\"%d\" y=\"52\" width=\"14\" height=\"14\" rx=\"2\" fill=\"%s\"/>\n"
              .formatted(x, colour(role)));
      String meaning =
          switch (role) {
            case FAILING -> "cannot be explained";
            case REQUIRED -> "took effect, and matters";
            case OPTIONAL -> "may have taken effect, and does not help";
          };
      text(x + 20, 63, "normal", meaning);
      x += 40 + CHARACTER * meaning.length();
    }
  }

  private void row(Object process, int row) {
    int y = TOP + row * ROW;
    out.append(
        "<line x1=\"%d\" y1=\"%d\" x2=\"100%%\" y2=\"%d\" stroke=\"#ddd\"/>\n"
            .formatted(LEFT, y + BAR / 2, y + BAR / 2));
    text(10, y + 15, "normal", cut("process " + process, 14));
  }

  private int x(int position) {
    return LEFT + columns.getOrDefault(position, columns.size()) * step + step / 2;
  }

  private void bar(Window.Shown s) {
    int op = s.operation();
    int from = x(history.invoke(op));
    boolean open = !columns.containsKey(history.complete(op));
    int to = open ? LEFT + (columns.size() + 1) * step : x(history.complete(op));
    int y = TOP + rows.get(history.process(op)) * ROW;
    int width = Math.max(6, to - from);
    out.append(
        ("<g><title>%s</title><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\""
                + " fill=\"%s\" stroke=\"#555\"%s/>")
            .formatted(
                escape(cut(TextReport.describe(history, op), 300)),
                from,
                y,
                width,
                BAR,
                colour(s.role()),
                open ? " stroke-dasharray=\"3 2\"" : ""));
    int room = Math.max(3, (width - 6) / CHARACTER);
    text(from + 4, y + 15, "normal", cut(label(op), room));
    out.append("</g>\n");
  }

  private String label(int op) {
    Object value = history.call(op).value();
    return cut(history.call(op).f() + (value == null ? "" : " " + Text.of(value)), LABEL_MAX);
  }

  private static String colour(Window.Role role) {
    return switch (role) {
      case FAILING -> "#FF1E90";
      case REQUIRED -> "#81BFFC";
      case OPTIONAL -> "#FFA400";
    };
  }

  private void text(int x, int y, String weight, String s) {
    out.append(
        "<text x=\"%d\" y=\"%d\" font-weight=\"%s\">%s</text>\n"
            .formatted(x, y, weight, escape(s)));
  }

  private static String cut(String s, int length) {
    return s.length() <= length ? s : s.substring(0, Math.max(1, length - 1)) + "…";
  }

  private static String escape(String s) {
    StringBuilder safe = new StringBuilder(s.length());
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      switch (c) {
        case '<' -> safe.append("&lt;");
        case '>' -> safe.append("&gt;");
        case '&' -> safe.append("&amp;");
        case '"' -> safe.append("&quot;");
        default -> safe.append(c < ' ' && c != '\n' && c != '\t' ? '?' : c);
      }
    }
    return safe.toString();
  }
}
