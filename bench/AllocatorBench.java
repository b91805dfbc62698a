import com.sun.management.OperatingSystemMXBean;
import interregnum.allocator.AllocResult;
import interregnum.allocator.ClientOptions;
import interregnum.allocator.LeaderClient;
import interregnum.allocator.LeaderOptions;
import interregnum.allocator.LeaderService;
import interregnum.allocator.Spacing;
import interregnum.defect.Modes;
import interregnum.etcd.JetcdEtcd;
import interregnum.failpoint.Failpoints;
import interregnum.owner.Leader;
import interregnum.owner.OwnerConfig;
import interregnum.owner.OwnerDirectory;
import interregnum.owner.OwnerRole;
import interregnum.owner.Ownership;
import interregnum.runtime.SystemRuntime;
import interregnum.store.EtcdStore;
import interregnum.transport.GrpcServer;
import interregnum.transport.GrpcTransport;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * How many ids a second one node gets through the allocator's leader, one id a request, and how
 * long a request takes: over gRPC, with a real etcd of one member. In the checkout, after a build:
 *
 * <pre>
 *   java -cp "target/classes:test/resources:$(cat target/classpath)" \
 *     bench/AllocatorBench.java [CLIENTS [SECONDS]]
 * </pre>
 *
 * Prints one line for each of three rounds; the first one warms up. Needs {@code etcd} on the path.
 */
public final class AllocatorBench {

  private static final String HOST = "127.0.0.1";
  private static final int ROUNDS = 3;
  private static final int TABLE = 1;

  /** Requests that got no id: on a machine too busy to renew a lease, for example. */
  private static final AtomicLong UNSERVED = new AtomicLong();

  private AllocatorBench() {}

  /** Runs the rounds; the arguments are optional. */
  public static void main(String[] args) throws Exception {
    int clients = args.length > 0 ? Integer.parseInt(args[0]) : 16;
    int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 10;
    Path folder = Files.createTempDirectory("allocator-bench-");
    int port = freePort();
    String url = "http://" + HOST + ":" + port;
    Process etcd = startEtcd(folder, url, "http://" + HOST + ":" + freePort());
    try {
      measure(url, clients, seconds);
    } finally {
      etcd.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
      delete(folder);
    }
    System.exit(0);
  }

  private static void measure(String url, int clients, int seconds) throws Exception {
    SystemRuntime runtime = new SystemRuntime(1, (task, cause) -> cause.printStackTrace());
    Failpoints failpoints = new Failpoints(runtime, () -> {});
    Ownership[] ownership = new Ownership[1];
    try (JetcdEtcd etcd = new JetcdEtcd(List.of(url));
        GrpcTransport transport = new GrpcTransport()) {
      etcd.warmUp(Duration.ofSeconds(20));
      LeaderService service =
          new LeaderService(
              runtime,
              new EtcdStore(runtime, etcd, "n1"),
              failpoints,
              () -> ownership[0].term(),
              new LeaderOptions("n1", LeaderOptions.STEP_DEFAULT, Modes.CORRECT.allocator()));
      try (GrpcServer server = new GrpcServer(HOST, 0, service.handlers())) {
        OwnerConfig config =
            new OwnerConfig(
                OwnerRole.AUTOID,
                "n1",
                HOST + ":" + server.port(),
                Duration.ofSeconds(3),
                Modes.CORRECT.autoidOwner());
        ownership[0] = new Ownership(runtime, etcd, failpoints, config, service);
        ownership[0].start();
        OwnerDirectory directory = new OwnerDirectory(etcd);
        LeaderClient client =
            new LeaderClient(
                runtime,
                transport,
                () ->
                    directory
                        .leader(OwnerRole.AUTOID, Duration.ofSeconds(1))
                        .map(leader -> leader.map(Leader::address)),
                "n2",
                ClientOptions.DEFAULT);
        for (int round = 1; round <= ROUNDS; round++) {
          long cpu = cpuNanos();
          long[] latencies = round(client, clients, seconds);
          report(round, latencies, seconds, cpuNanos() - cpu);
        }
        ownership[0].close();
      }
    }
  }

  /** The latencies of all requests of a round in nanoseconds, sorted. */
  private static long[] round(LeaderClient client, int clients, int seconds) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    List<Thread> threads = new ArrayList<>();
    long[][] latencies = new long[clients][];
    for (int i = 0; i < clients; i++) {
      int index = i;
      Thread thread = new Thread(() -> latencies[index] = allocate(client, end));
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return Arrays.stream(latencies).flatMapToLong(Arrays::stream).sorted().toArray();
  }

  private static long[] allocate(LeaderClient client, long end) {
    long[] latencies = new long[1 << 16];
    int count = 0;
    try {
      for (long start = System.nanoTime(); start < end; ) {
        AllocResult result = client.alloc(TABLE, 1, Spacing.DENSE, false);
        long now = System.nanoTime();
        if (!(result instanceof AllocResult.Allocated)) {
          UNSERVED.incrementAndGet();
          start = now;
          continue;
        }
        if (count == latencies.length) {
          latencies = Arrays.copyOf(latencies, 2 * count);
        }
        latencies[count++] = now - start;
        start = now;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Arrays.copyOf(latencies, count);
  }

  /** Processor time of both sides so far: what a busy machine does not distort. */
  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private static void report(int round, long[] sorted, int seconds, long cpuNanos) {
    System.out.printf(
        "round %d: %,d ids/s, %.0f us of processor time per id, p50 %.2f ms, p99 %.2f ms,"
            + " max %.1f ms, %d unserved%n",
        round,
        sorted.length / seconds,
        cpuNanos / 1e3 / sorted.length,
        sorted[sorted.length / 2] / 1e6,
        sorted[(int) (sorted.length * 0.99)] / 1e6,
        sorted[sorted.length - 1] / 1e6,
        UNSERVED.getAndSet(0));
  }

  private static Process startEtcd(Path folder, String client, String peer) throws Exception {
    return new ProcessBuilder(
            "etcd", "--name", "n1",
            "--data-dir", folder.resolve("data").toString(),
            "--listen-client-urls", client,
            "--advertise-client-urls", client,
            "--listen-peer-urls", peer,
            "--initial-advertise-peer-urls", peer,
            "--initial-cluster", "n1=" + peer,
            "--logger", "zap")
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("etcd.log").toFile())
        .start();
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
      return socket.getLocalPort();
    }
  }

  private static void delete(Path folder) throws Exception {
    try (Stream<Path> paths = Files.walk(folder)) {
      paths.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    }
  }
}
