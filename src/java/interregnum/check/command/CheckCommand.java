package interregnum.check.command;

import interregnum.check.Budget;
import interregnum.check.Linearizability;
import interregnum.check.Result;
import interregnum.check.Verdict;
import interregnum.check.history.HistoryException;
import interregnum.check.history.Recording;
import interregnum.check.model.Keyed;
import interregnum.check.model.Model;
import interregnum.check.model.Models;
import interregnum.check.read.Format;
import interregnum.check.read.HistoryReader;
import interregnum.check.report.EdnReport;
import interregnum.check.report.Picture;
import interregnum.check.report.TextReport;
import interregnum.check.search.ModelException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * Checks histories in files: {@code check FILE... [--model cas-register] ...}. Exits with 0 if all
 * are linearizable, 1 if one is not, 2 if one is undecided, 254 for bad arguments and 255 for a
 * file that cannot be read as a history.
 */
@CommandLine.Command(
    name = "check",
    description = "Check whether histories are linearizable.",
    sortOptions = false,
    usageHelpWidth = 100)
public final class CheckCommand implements Callable<Integer> {

  private static final int USAGE = 254;
  private static final int TROUBLE = 255;

  @CommandLine.Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "files with a history each, or folders of them")
  private List<Path> paths;

  @CommandLine.Option(
      names = "--model",
      paramLabel = "NAME",
      description = {
        "register, cas-register, multi-register, set, unordered-queue, fifo-queue, mutex,",
        "owner-mutex, reentrant-lock, fenced-lock, id-counter, unique-ids, kv;",
        "by default the one that the operations suggest"
      })
  private String modelName;

  @CommandLine.Option(
      names = "--initial",
      paramLabel = "EDN",
      defaultValue = "nil",
      description = "the state of a register before the first operation (default: nil)")
  private String initial;

  @CommandLine.Option(
      names = "--keyed",
      description = "values are [key value], and every key is an object of its own")
  private boolean keyed;

  @CommandLine.Option(
      names = "--format",
      defaultValue = "auto",
      description = "auto, edn, json or log (default: ${DEFAULT-VALUE})")
  private String formatName;

  @CommandLine.Option(
      names = "--time-limit",
      paramLabel = "SECONDS",
      description = {
        "how long to search each history at most, once it has been read",
        "(default: an hour)"
      })
  private Double timeLimitSeconds;

  @CommandLine.Option(
      names = "--heap",
      paramLabel = "MB",
      description = "how much of the heap may be in use meanwhile (default: nine tenths of it)")
  private Long heapMb;

  @CommandLine.Option(
      names = "--picture",
      paramLabel = "FILE",
      description = "where to draw the first failure, as .svg or .html")
  private Path picture;

  @CommandLine.Option(names = "--edn", description = "write results as EDN maps, one per line")
  private boolean edn;

  @CommandLine.Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "explain the command")
  private boolean help;

  private final PrintStream out;
  private final PrintStream err;
  private boolean drawn;

  private CheckCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /** Runs the command and returns its exit code. */
  public static int run(String... arguments) {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    return run(out, System.err, arguments);
  }

  static int run(PrintStream out, PrintStream err, String... arguments) {
    CommandLine line = new CommandLine(new CheckCommand(out, err));
    line.setOut(new java.io.PrintWriter(out, true));
    line.setErr(new java.io.PrintWriter(err, true));
    line.setParameterExceptionHandler(
        (e, args) -> {
          err.println("interregnum check: " + e.getMessage());
          return USAGE;
        });
    return line.execute(arguments);
  }

  /** Runs the command and exits with its code. */
  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /** A wrong argument; the message says which. */
  private static final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UsageException(String message) {
      super(message);
    }
  }

  @Override
  public Integer call() {
    try {
      Optional<Format> format = format();
      if (modelName != null && Models.named(modelName, null).isEmpty()) {
        throw new UsageException(
            "unknown model " + modelName + "; known are " + String.join(", ", Models.NAMES));
      }
      List<Path> files = files();
      boolean table = files.size() > 1 && !edn;
      int code = 0;
      for (Path file : files) {
        code = worse(code, check(file, format, table));
      }
      return code;
    } catch (UsageException e) {
      err.println("interregnum check: " + e.getMessage());
      return USAGE;
    }
  }

  /** Invalid outranks trouble, trouble unknown, unknown valid. */
  private static int worse(int a, int b) {
    for (int code : new int[] {1, TROUBLE, 2}) {
      if (a == code || b == code) {
        return code;
      }
    }
    return 0;
  }

  private Optional<Format> format() {
    return switch (formatName.toLowerCase(Locale.ROOT)) {
      case "auto" -> Optional.empty();
      case "edn" -> Optional.of(Format.EDN);
      case "json" -> Optional.of(Format.JSON);
      case "log" -> Optional.of(Format.LOG);
      default -> throw new UsageException(
          "unknown format " + formatName + "; known are auto, edn, json, log");
    };
  }

  private List<Path> files() {
    List<Path> files = new ArrayList<>();
    for (Path path : paths) {
      if (Files.isDirectory(path)) {
        files.addAll(historiesIn(path));
      } else if (Files.isRegularFile(path)) {
        files.add(path);
      } else {
        throw new UsageException("no such file: " + path);
      }
    }
    if (files.isEmpty()) {
      throw new UsageException("no files named .edn, .log, .txt, .json or .jsonl in " + paths);
    }
    return files;
  }

  private static List<Path> historiesIn(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> file.getFileName().toString().matches(".*\\.(edn|log|txt|json|jsonl)"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private int check(Path file, Optional<Format> format, boolean table) {
    try {
      Recording recording = HistoryReader.read(file, format);
      Result result = Linearizability.check(model(recording), recording, budget(table));
      print(file, result, table);
      draw(result);
      return result.verdict() == Verdict.VALID ? 0 : result.verdict() == Verdict.INVALID ? 1 : 2;
    } catch (HistoryException | ModelException | IllegalArgumentException e) {
      trouble(file, e.getMessage());
    } catch (IOException | UncheckedIOException e) {
      trouble(file, "cannot be read: " + e);
    } catch (OutOfMemoryError e) {
      trouble(file, "does not fit into the heap of this JVM");
    }
    return TROUBLE;
  }

  private void trouble(Path file, String message) {
    if (edn) {
      out.println(EdnReport.error(file.toString(), message));
    } else {
      err.println(file + ": " + message);
    }
  }

  private void print(Path file, Result result, boolean table) {
    if (edn) {
      out.println(EdnReport.of(file.toString(), result));
    } else if (table) {
      String first =
          result
              .failure()
              .map(f -> "event " + f.part().history().completeIndex(f.operation()))
              .orElse("");
      out.printf(
          Locale.ROOT,
          "%-40s %-16s %8d operations %8d ms  %s%n",
          file.getFileName(),
          TextReport.headline(result),
          result.operations(),
          result.elapsedMs(),
          first);
    } else {
      out.println(file + ": " + TextReport.of(result));
    }
  }

  private void draw(Result result) throws IOException {
    if (picture == null || drawn || result.failure().isEmpty()) {
      return;
    }
    boolean html = picture.toString().endsWith(".html");
    Files.writeString(
        picture,
        html
            ? Picture.html(result.failure().get(), TextReport.of(result))
            : Picture.svg(result.failure().get()));
    drawn = true;
  }

  private Budget budget(boolean table) {
    Budget standard = Budget.standard();
    Duration time =
        timeLimitSeconds == null
            ? standard.time()
            : Duration.ofNanos((long) (timeLimitSeconds * 1e9));
    long heap = heapMb == null ? standard.heapBytes() : heapMb << 20;
    if (time.isZero() || time.isNegative() || heap <= 0) {
      throw new UsageException("--time-limit and --heap must be positive");
    }
    return new Budget(
        time,
        heap,
        standard.threads(),
        table && (picture == null || drawn) ? 0 : standard.explanations());
  }

  private Model model(Recording recording) {
    Set<String> fs = recording.names();
    boolean register = fs.contains("read") && (fs.contains("write") || fs.contains("cas"));
    boolean pairs = recording.valuesAre(v -> v instanceof List<?> list && list.size() == 2);
    String name = modelName != null ? modelName : suggested(fs);
    Model model = Models.named(name, HistoryReader.value(initial)).orElseThrow();
    return keyed || register && pairs ? new Keyed(model) : model;
  }

  private static String suggested(Set<String> fs) {
    if (fs.isEmpty()) {
      return "register";
    }
    return Models.forOperations(fs)
        .orElseThrow(
            () ->
                new HistoryException(
                    "no model is the only one with the operations " + String.join(", ", fs)
                        + ": choose one with --model"));
  }
}
