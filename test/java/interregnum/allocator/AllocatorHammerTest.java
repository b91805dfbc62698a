package interregnum.allocator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import interregnum.defect.Modes;
import interregnum.etcd.EtcdServer;
import interregnum.owner.Term;
import interregnum.runtime.SystemRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many clients of three nodes at once, while the lead changes all the time. */
@Tag("integration")
@Timeout(120)
class AllocatorHammerTest {

  @RegisterExtension static final EtcdServer ETCD = new EtcdServer();

  private static final int CLIENTS = 16;
  private static final Duration TTL = Duration.ofSeconds(2);
  private static final int CHANGES = 12;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int TABLES = 3;
  private static final int GRANTS_PER_TABLE = 100;

  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final SystemRuntime runtime = new SystemRuntime(1, (task, cause) -> failures.add(cause));
  private final ConcurrentLinkedQueue<Grant> grants = new ConcurrentLinkedQueue<>();
  private volatile boolean stopped;

  /** Ids that somebody got, and when it asked and had them. */
  private record Grant(
      long table, long invokeNanos, long completeNanos, AllocResult.Allocated ids) {}

  @Test
  void idsAreUniqueAndRiseInRealTime() throws Exception {
    long seed = Long.getLong("seed", System.nanoTime());
    List<AllocatorNode> nodes = new ArrayList<>();
    try {
      for (String id : List.of("a", "b", "c")) {
        nodes.add(new AllocatorNode(runtime, ETCD.url(), id, Modes.CORRECT, TTL));
      }
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        AllocatorNode node = nodes.get(i % nodes.size());
        Random random = new Random(seed + i);
        threads.add(start(() -> allocate(node, random)));
      }
      Random random = new Random(seed - 1);
      for (int change = 0; change < CHANGES; change++) {
        Thread.sleep(50 + random.nextInt(200));
        changeLead(nodes, random);
      }
      await().atMost(PATIENCE).until(this::everyTableIsServed);
      stopped = true;
      for (Thread thread : threads) {
        thread.join(60_000);
        assertThat(thread.isAlive()).as("a client hangs").isFalse();
      }
    } finally {
      stopped = true;
      for (AllocatorNode node : nodes) {
        node.close();
      }
    }
    assertThat(failures).as("seed=%d", seed).isEmpty();
    long terms = grants.stream().mapToLong(g -> g.ids().term()).distinct().count();
    assertThat(terms).as("reigns that gave ids, seed=%d", seed).isGreaterThan(3);
    for (long table = 1; table <= TABLES; table++) {
      check(table, seed);
    }
  }

  private boolean everyTableIsServed() {
    return LongStream.rangeClosed(1, TABLES)
        .allMatch(t -> grants.stream().filter(g -> g.table() == t).count() > GRANTS_PER_TABLE);
  }

  private interface Body {
    void run() throws Exception;
  }

  private Thread start(Body body) {
    Thread thread =
        new Thread(
            () -> {
              try {
                body.run();
              } catch (Throwable e) {
                failures.add(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void allocate(AllocatorNode node, Random random) throws Exception {
    while (!stopped) {
      long table = 1 + random.nextInt(TABLES);
      Spacing spacing =
          random.nextBoolean() ? Spacing.DENSE : new Spacing(1 + random.nextInt(9), 1);
      int n = random.nextInt(100) == 0 ? 3_000 : 1 + random.nextInt(3);
      long invoke = System.nanoTime();
      AllocResult result = node.client.alloc(table, n, spacing, false);
      if (result instanceof AllocResult.Allocated ids) {
        grants.add(new Grant(table, invoke, System.nanoTime(), ids));
      }
    }
  }

  /** Lets the leader resign, or its lease run out, and waits for the next reign. */
  private static void changeLead(List<AllocatorNode> nodes, Random random) throws Exception {
    AllocatorNode leader = awaitLeader(nodes);
    Optional<Term> term = leader.ownership.term();
    if (random.nextInt(6) == 0) {
      leader.failpoints.arm("dropKeepAlive", "error");
      await().atMost(PATIENCE).until(() -> !leader.ownership.term().equals(term));
      leader.failpoints.disarm("dropKeepAlive");
    } else {
      leader.ownership.resign();
    }
    awaitLeader(nodes);
  }

  private static AllocatorNode awaitLeader(List<AllocatorNode> nodes) {
    return await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> nodes.stream().filter(n -> n.ownership.term().isPresent()).findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  /**
   * Ranges are disjoint, and one that was answered before another was asked for is below it. Sorted
   * by value, that is: no range was asked for after a later one was answered.
   */
  private void check(long table, long seed) {
    List<Grant> byValue =
        grants.stream()
            .filter(g -> g.table() == table)
            .sorted(Comparator.comparingLong(g -> g.ids().max()))
            .toList();
    long earliestCompletion = Long.MAX_VALUE;
    for (int i = byValue.size() - 1; i >= 0; i--) {
      Grant grant = byValue.get(i);
      if (i > 0) {
        assertThat(grant.ids().min())
            .as("%s after %s, seed=%d", grant, byValue.get(i - 1), seed)
            .isGreaterThanOrEqualTo(byValue.get(i - 1).ids().max());
      }
      assertThat(grant.invokeNanos())
          .as("%s was asked for after a larger range was answered, seed=%d", grant, seed)
          .isLessThanOrEqualTo(earliestCompletion);
      earliestCompletion = Math.min(earliestCompletion, grant.completeNanos());
    }
  }
}
