import clojure.lang.PersistentHashSet;
import interregnum.check.command.CheckCommand;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How long the command {@code check} takes for histories of many kinds, and how much memory it
 * needs. In the checkout, after a build:
 *
 * <pre>
 *   java -cp "target/classes:$(cat target/classpath)" bench/LinearizabilityBench.java matrix
 *   java -cp "target/classes:$(cat target/classpath)" bench/LinearizabilityBench.java unique
 *   java -cp "target/classes:$(cat target/classpath)" bench/LinearizabilityBench.java FOLDER...
 * </pre>
 *
 * {@code matrix}: compare-and-set registers over five values, 100 to 100,000 operations, 5, 10 and
 * 20 processes, 0, 1 and 10 % crashed, good and bad, made by {@code gen_histories.py} of
 * {@code ../shared/histories}, which must be there. {@code unique}: a million operations of a
 * register, a set, a queue and an id counter with distinct values. A folder is checked in one JVM.
 *
 * <p>Every history is checked in a JVM of its own with a heap of 1 GB. Prints a line for each:
 * verdict, time of the check alone, time of the process and its processor time, greatest resident
 * memory.
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
        Locale.ROOT, "%-36s %-9s %9s %9s %9s %8s%n",
        "history", "verdict", "check s", "wall s", "cpu s", "MB");
    Path folder = Files.createTempDirectory("linearizability-bench");
    try {
      for (String argument : arguments) {
        switch (argument) {
          case "matrix" -> matrix(folder);
          case "unique" -> unique(folder);
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
      int[] index = {0};
      Sink sink =
          (type, process, f, value) ->
              out.write(
                  "{:index %d, :type :%s, :process %d, :f :%s, :value %s}\n"
                      .formatted(index[0]++, type, process, f, value == null ? "nil" : value));
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

  private static void measure(String name, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseParallelGC",
                "-cp",
                System.getProperty("java.class.path"),
                CheckCommand.class.getName()));
    command.addAll(arguments);
    File output = File.createTempFile("linearizability", ".out");
    long begin = System.nanoTime();
    Process process = new ProcessBuilder(command).redirectOutput(output).start();
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
    Files.delete(output.toPath());
    System.out.printf(
        Locale.ROOT, "%-36s %-9s %9.3f %9.2f %9.2f %8d%n",
        name, verdict(text, process.exitValue()), checkSeconds(text), wall, cpu, memoryKb >> 10);
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
