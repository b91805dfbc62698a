import clojure.lang.PersistentHashSet;
import interregnum.check.Budget;
import interregnum.check.Linearizability;
import interregnum.check.Result;
import interregnum.check.history.EventType;
import interregnum.check.history.Recording;
import interregnum.check.model.Call;
import interregnum.check.model.Model;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How long the command {@code check} takes for histories of many kinds, and how much memory it
 * needs. In the checkout, after a build:
 *
 * <pre>
 *   java -cp "target/classes:$(cat target/classpath)" bench/LinearizabilityBench.java budgets
 *   java -cp "target/classes:$(cat target/classpath)" bench/LinearizabilityBench.java matrix
 *   java -cp "target/classes:$(cat target/classpath)" bench/LinearizabilityBench.java unique
 *   java -cp "target/classes:$(cat target/classpath)" bench/LinearizabilityBench.java FOLDER...
 * </pre>
 *
 * {@code matrix}: compare-and-set registers over five values, 100 to 100,000 operations, 5, 10 and
 * 20 processes, 0, 1 and 10 % crashed, good and bad, made by {@code gen_histories.py} of
 * {@code ../shared/histories}, which must be there. {@code unique}: a million operations of a
 * register, a set, a queue and an id counter with distinct values. {@code budgets}: a history that
 * no search decides, within limits of time and heap, and models that sleep, loop or allocate. A
 * folder is checked in one JVM.
 *
 * <p>Every history is checked by a {@code bin/interregnum check} of its own with a heap of 1 GB.
 * Prints a line for each: verdict, time of the check alone, time of the process and its processor
 * time, greatest resident memory; with {@code budgets} also what was in use of the heap at most
 * after a collection.
 */
public final class LinearizabilityBench {

  private static final Path GENERATOR = Path.of("../shared/histories/gen_histories.py");
  private static final int UNIQUE_OPERATIONS = 1_000_000;
  private static final int PROCESSES = 10;
  private static final int CPU_SECONDS_MAX = 120;
  private static final Pattern CHECK_MS = Pattern.compile(":elapsed-ms (\\d+)");
  private static final Pattern VERDICT = Pattern.compile(":valid\\? (\\S+?),");
  private static final Pattern ERROR = Pattern.compile(":error (\".*\")");

  private LinearizabilityBench() {}

  /** Runs what the arguments name. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    System.out.printf(
        Locale.ROOT, "%-36s %-9s %9s %9s %9s %8s %8s%n",
        "history", "verdict", "check s", "wall s", "cpu s", "MB", "heap MB");
    Path folder = Files.createTempDirectory("linearizability-bench");
    try {
      for (String argument : arguments) {
        switch (argument) {
          case "matrix" -> matrix(folder);
          case "unique" -> unique(folder);
          case "budgets" -> budgets(folder);
          default -> measure(Path.of(argument).getFileName().toString(), List.of(argument));
        }
      }
    } finally {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    }
  }

  private static void matrix(Path folder) throws IOException, InterruptedException {
    for (int n = 100; n <= 100_000; n *= 10) {
      for (int c : new int[] {5, 10, 20}) {
        for (String info : new String[] {"0", "0.01", "0.1"}) {
          for (String bad : new String[] {"good", "impossible", "stale:0"}) {
            Path file = generate(folder, n, c, info, bad);
            String name = "%d ops, %d, %s, %s".formatted(n, c, info, bad);
            measure(
                name,
                List.of(file.toString(), "--model", "cas-register", "--initial", "0", "--edn"));
            Files.delete(file);
          }
        }
      }
    }
  }

  private static Path generate(Path folder, int n, int c, String info, String bad)
      throws IOException, InterruptedException {
    int seed = n + 100 * c + (int) Math.round(100 * Double.parseDouble(info));
    Path prefix = folder.resolve("history");
    List<String> command =
        new ArrayList<>(
            List.of(
                "python3", GENERATOR.toString(), "--n", "" + n, "--c", "" + c, "--info", info,
                "--seed", "" + seed, "--out", prefix.toString()));
    if (!bad.equals("good")) {
      command.addAll(List.of("--bad", bad));
    }
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (process.waitFor() != 0) {
      throw new IOException("the generator failed: " + command);
    }
    Files.delete(folder.resolve("history.txt"));
    return folder.resolve("history.edn");
  }

  /** Writes one event. */
  @FunctionalInterface
  private interface Sink {
    void event(String type, int process, String f, Object value) throws IOException;
  }

  private static Sink sink(BufferedWriter out) {
    int[] index = {0};
    return (type, process, f, value) ->
        out.write(
            "{:index %d, :type :%s, :process %d, :f :%s, :value %s}\n"
                .formatted(index[0]++, type, process, f, value == null ? "nil" : value));
  }

  /** Writes the operations of one round, in which every process does one. */
  @FunctionalInterface
  private interface Round {
    void write(Sink sink, Random random) throws IOException;
  }

  private static void unique(Path folder) throws IOException, InterruptedException {
    long[] counter = {0, 0, 0};
    unique(folder, "cas-register", (sink, random) -> registerRound(sink, counter));
    unique(folder, "set", setRounds());
    unique(folder, "fifo-queue", (sink, random) -> queueRound(sink, counter));
    unique(folder, "unordered-queue", (sink, random) -> queueRound(sink, counter));
    unique(folder, "id-counter", (sink, random) -> idRound(sink, counter, "alloc"));
    unique(folder, "unique-ids", (sink, random) -> idRound(sink, counter, "generate"));
  }

  private static void unique(Path folder, String model, Round round)
      throws IOException, InterruptedException {
    Path file = folder.resolve(model + ".edn");
    Random random = new Random(1);
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      Sink sink = sink(out);
      for (int i = 0; i < UNIQUE_OPERATIONS / PROCESSES; i++) {
        round.write(sink, random);
      }
    }
    measure(
        UNIQUE_OPERATIONS + " ops, " + model, List.of(file.toString(), "--model", model, "--edn"));
    Files.delete(file);
  }

  /** All processes at once: one writes, one compares and sets, the others read either value. */
  private static void registerRound(Sink sink, long[] counter) throws IOException {
    long written = ++counter[0];
    long set = ++counter[0];
    String pair = "[" + written + " " + set + "]";
    sink.event("invoke", 0, "write", written);
    sink.event("invoke", 1, "cas", pair);
    for (int p = 2; p < PROCESSES; p++) {
      sink.event("invoke", p, "read", null);
    }
    for (int p = 2; p < PROCESSES; p++) {
      sink.event("ok", p, "read", p % 2 == 0 ? written : set);
    }
    sink.event("ok", 1, "cas", pair);
    sink.event("ok", 0, "write", written);
  }

  /** Additions, and among the first ones reads of all that was added before. */
  private static Round setRounds() {
    List<Object> elements = new ArrayList<>();
    long[] rounds = {0};
    return (sink, random) -> {
      boolean reads = elements.size() < 400 && random.nextInt(20) == 0;
      for (int p = 0; p < PROCESSES; p++) {
        boolean read = reads && p == 0;
        sink.event("invoke", p, read ? "read" : "add", read ? null : rounds[0] * PROCESSES + p);
      }
      for (int p = PROCESSES - 1; p > 0; p--) {
        sink.event("ok", p, "add", rounds[0] * PROCESSES + p);
      }
      if (reads) {
        sink.event("ok", 0, "read", PersistentHashSet.create(elements));
      } else {
        sink.event("ok", 0, "add", rounds[0] * PROCESSES);
      }
      for (int p = reads ? 1 : 0; p < PROCESSES; p++) {
        elements.add(rounds[0] * PROCESSES + p);
      }
      rounds[0]++;
    };
  }

  private static void queueRound(Sink sink, long[] counter) throws IOException {
    for (int p = 0; p < PROCESSES; p += 2) {
      sink.event("invoke", p, "enqueue", counter[1] + p / 2);
      sink.event("invoke", p + 1, "dequeue", null);
    }
    for (int p = 0; p < PROCESSES; p += 2) {
      sink.event("ok", p + 1, "dequeue", counter[1] + p / 2);
      sink.event("ok", p, "enqueue", counter[1] + p / 2);
    }
    counter[1] += PROCESSES / 2;
  }

  private static void idRound(Sink sink, long[] counter, String f) throws IOException {
    for (int p = 0; p < PROCESSES; p++) {
      sink.event("invoke", p, f, null);
    }
    for (int p = PROCESSES - 1; p >= 0; p--) {
      sink.event("ok", p, f, counter[2] + 3 * p);
    }
    counter[2] += 3 * PROCESSES;
  }

  /** Equal elements that are put in at once and taken out in another order, one of them twice. */
  private static Path undecidable(Path folder) throws IOException {
    Path file = folder.resolve("undecidable.edn");
    Random random = new Random(3);
    int processes = 24;
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      Sink sink = sink(out);
      for (int round = 0; round < 200; round++) {
        List<Integer> elements = new ArrayList<>();
        for (int p = 0; p < processes; p++) {
          elements.add(random.nextInt(6));
          sink.event("invoke", p, "enqueue", elements.get(p));
        }
        for (int p = 0; p < processes; p++) {
          sink.event("ok", p, "enqueue", elements.get(p));
        }
        Collections.shuffle(elements, random);
        for (int p = 0; p < processes; p++) {
          sink.event("invoke", p, "dequeue", null);
        }
        for (int p = 0; p < processes; p++) {
          boolean last = round == 0 && p == processes - 1;
          sink.event("ok", p, "dequeue", last ? Integer.valueOf(6) : elements.get(p));
        }
      }
    }
    return file;
  }

  private static void budgets(Path folder) throws IOException, InterruptedException {
    Path file = undecidable(folder);
    List<String> check = List.of(file.toString(), "--model", "fifo-queue", "--edn");
    for (String limit : new String[] {"0.5", "1", "2", "5"}) {
      measure("time limit " + limit + " s", with(check, "--time-limit", limit));
    }
    for (String limit : new String[] {"100", "200", "400"}) {
      measure("heap limit " + limit + " MB", with(check, "--heap", limit));
    }
    Files.delete(file);
    for (String limit : new String[] {"0.5", "1", "2", "5"}) {
      for (Step step : Step.values()) {
        Duration time = Duration.ofMillis((long) (1000 * Double.parseDouble(limit)));
        Result result =
            Linearizability.check(
                new Slow(step), manyWrites(), Budget.standard().withTime(time));
        System.out.printf(
            Locale.ROOT, "%-36s %-9s %9.3f%n",
            "time limit " + limit + " s, model that " + step, result.verdict(),
            result.elapsedMs() / 1e3);
      }
    }
  }

  private static List<String> with(List<String> arguments, String... more) {
    return Stream.concat(arguments.stream(), Stream.of(more)).toList();
  }

  private enum Step {
    SLEEPS,
    LOOPS,
    ALLOCATES
  }

  /** A model whose steps take their time. */
  private record Slow(Step step) implements Model {
    @Override
    public String name() {
      return "slow";
    }

    @Override
    public Object initial() {
      return 0;
    }

    @Override
    public Object step(Object state, Call call) {
      long end = System.nanoTime() + 10_000_000_000L;
      int allocated = 0;
      while (System.nanoTime() - end < 0) {
        if (step == Step.SLEEPS) {
          LockSupport.parkNanos(100_000_000);
        } else if (step == Step.ALLOCATES) {
          allocated += new byte[1 << 16].length & 1;
        }
      }
      return allocated;
    }
  }

  private static Recording manyWrites() {
    Recording recording = new Recording("event");
    for (int i = 0; i < 40; i++) {
      EventType type = i < 20 ? EventType.INVOKE : EventType.OK;
      recording.add(new Recording.Event(type, i % 20, "write", i % 20, null, i, i));
    }
    return recording;
  }

  private static void measure(String name, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("bin/interregnum", "check"));
    command.addAll(arguments);
    File output = File.createTempFile("linearizability", ".out");
    File collections = File.createTempFile("linearizability", ".gc");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(output)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("JAVA_TOOL_OPTIONS", "-Xmx1g -Xlog:gc:file=" + collections);
    long begin = System.nanoTime();
    Process process = builder.start();
    long memoryKb = 0;
    double cpu = 0;
    while (!process.waitFor(20, TimeUnit.MILLISECONDS)) {
      memoryKb = Math.max(memoryKb, residentKb(process.pid()));
      cpu = Math.max(cpu, cpuSeconds(process));
      if (cpu > CPU_SECONDS_MAX) {
        process.destroyForcibly();
      }
    }
    double wall = (System.nanoTime() - begin) / 1e9;
    String text = Files.readString(output.toPath());
    int heapMb = heapMb(Files.readString(collections.toPath()));
    Files.delete(output.toPath());
    Files.delete(collections.toPath());
    System.out.printf(
        Locale.ROOT, "%-36s %-9s %9.3f %9.2f %9.2f %8d %8d%n",
        name, verdict(text, process.exitValue()), checkSeconds(text), wall, cpu, memoryKb >> 10,
        heapMb);
  }

  /** What was in use at most after a full collection, or else after any. */
  private static int heapMb(String collections) {
    String full = collections.contains("Pause Full") ? "Pause Full.*" : "";
    return Pattern.compile(full + "->(\\d+)M\\(").matcher(collections).results()
        .mapToInt(match -> Integer.parseInt(match.group(1)))
        .max()
        .orElse(0);
  }

  private static String verdict(String text, int exit) {
    Matcher error = ERROR.matcher(text);
    Matcher verdict = VERDICT.matcher(text);
    return error.find() ? error.group(1) : verdict.find() ? verdict.group(1) : "exit " + exit;
  }

  private static double checkSeconds(String text) {
    Matcher ms = CHECK_MS.matcher(text);
    return ms.find() ? Long.parseLong(ms.group(1)) / 1e3 : Double.NaN;
  }

  private static double cpuSeconds(Process process) {
    return process.info().totalCpuDuration().map(d -> d.toMillis() / 1e3).orElse(0.0);
  }

  private static long residentKb(long pid) {
    try {
      return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }
}
