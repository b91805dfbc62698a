package interregnum.allocator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import interregnum.defect.Defects;
import interregnum.defect.Modes;
import interregnum.etcd.EtcdServer;
import interregnum.runtime.Outcome;
import interregnum.runtime.SystemRuntime;
import interregnum.store.CommitResult;
import interregnum.store.StoreTxn;
import interregnum.table.Keys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whole allocators on a real etcd: the schedules that public bugs came from. */
@Tag("integration")
@Timeout(120)
class AllocatorClusterTest {

  @RegisterExtension static final EtcdServer ETCD = new EtcdServer();

  private static final Duration PATIENCE = Duration.ofSeconds(25);

  /** Long enough for no lease to run out by chance on a busy machine. */
  private static final Duration TTL = Duration.ofSeconds(8);

  /** Tables are never used twice, so that tests do not disturb each other. */
  private static long lastTable = 100;

  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final SystemRuntime runtime = new SystemRuntime(1, (task, cause) -> failures.add(cause));
  private final List<AllocatorNode> nodes = new ArrayList<>();
  private final long table = ++lastTable;

  @AfterEach
  void closeNodes() throws Exception {
    for (AllocatorNode node : nodes) {
      node.close();
    }
    assertThat(failures).isEmpty();
  }

  private static Modes defect(String id) {
    return Defects.modes(List.of(id));
  }

  private AllocatorNode start(String id, Modes modes) throws Exception {
    AllocatorNode node = new AllocatorNode(runtime, ETCD.url(), id, modes, TTL);
    nodes.add(node);
    return node;
  }

  /** A node that leads, and one that waits. */
  private AllocatorNode[] pair(Modes modes) throws Exception {
    AllocatorNode a = start("a", modes);
    awaitLead(a);
    return new AllocatorNode[] {a, start("b", modes)};
  }

  private static void awaitLead(AllocatorNode node) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> node.ownership.term().isPresent());
  }

  /** Lets {@code from} resign until {@code to}, which may only just have started, leads. */
  private static void hand(AllocatorNode from, AllocatorNode to) {
    resignUntil(from, () -> to.ownership.term().isPresent());
  }

  private static void resignUntil(AllocatorNode from, BooleanSupplier handed) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> {
              if (!handed.getAsBoolean() && from.ownership.term().isPresent()) {
                from.ownership.resign();
              }
              return handed.getAsBoolean();
            });
  }

  private static void awaitHeld(AllocatorNode node, String failpoint) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> node.failpoints.state(failpoint).waiting() > 0);
  }

  private static CompletableFuture<Long> nextInBackground(AllocatorNode node, long table) {
    CompletableFuture<Long> id = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                id.complete(node.next(table));
              } catch (Throwable e) {
                id.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return id;
  }

  private long[] next(AllocatorNode node, int count) throws Exception {
    long[] ids = new long[count];
    for (int i = 0; i < count; i++) {
      ids[i] = node.next(table);
    }
    return ids;
  }

  /** The steps of pingcap/tidb#52600; ids come through the client of the first node throughout. */
  private long[] toAndFro(Modes modes) throws Exception {
    AllocatorNode[] pair = pair(modes);
    long[] first = next(pair[0], 4);
    hand(pair[0], pair[1]);
    long[] second = next(pair[0], 3);
    hand(pair[1], pair[0]);
    long[] third = next(pair[0], 3);
    return concat(first, second, third);
  }

  private static long[] concat(long[]... parts) {
    return Arrays.stream(parts).flatMapToLong(Arrays::stream).toArray();
  }

  @Test
  void idsRiseWhenTheLeadChangesToAndFro() throws Exception {
    assertThat(toAndFro(Modes.CORRECT))
        .containsExactly(1, 2, 3, 4, 4_001, 4_002, 4_003, 8_001, 8_002, 8_003);
  }

  @Test
  void idsFallBackWhenRangesAreKept() throws Exception {
    assertThat(toAndFro(defect("tidb-52600")))
        .containsExactly(1, 2, 3, 4, 4_001, 4_002, 4_003, 5, 6, 7);
  }

  /** Holds a request between the leader's check and its answer while the lead changes. */
  private long[] heldAcrossAChange(Modes modes) throws Exception {
    AllocatorNode[] pair = pair(modes);
    long before = pair[0].next(table);
    pair[0].failpoints.arm("afterOwnerCheck", "1*pause");
    CompletableFuture<Long> held = nextInBackground(pair[0], table);
    awaitHeld(pair[0], "afterOwnerCheck");
    hand(pair[0], pair[1]);
    long after = pair[1].next(table);
    pair[0].failpoints.disarm("afterOwnerCheck");
    return new long[] {before, after, held.get(20, TimeUnit.SECONDS), pair[1].next(table)};
  }

  @Test
  void aDeposedLeaderDoesNotAnswer() throws Exception {
    assertThat(heldAcrossAChange(Modes.CORRECT)).containsExactly(1, 4_001, 4_002, 4_003);
  }

  @Test
  void aDeposedLeaderAnswersFromMemoryWhenItDoesNotLookAtItsLease() throws Exception {
    assertThat(heldAcrossAChange(defect("serve-after-lease"))).containsExactly(1, 4_001, 2, 4_002);
  }

  /** The lease of the leader runs out, and it is the last to learn it. */
  @Test
  void idsRiseWhenTheLeaseOfTheLeaderRunsOut() throws Exception {
    AllocatorNode[] pair = pair(Modes.CORRECT);
    long before = pair[0].next(table);
    pair[0].failpoints.arm("beforeClearOwnerFlag", "pause");
    pair[0].failpoints.arm("dropKeepAlive", "error");
    awaitLead(pair[1]);
    long after = pair[1].next(table);
    assertThat(pair[0].next(table)).isGreaterThan(after);
    assertThat(after).isGreaterThan(before);
  }

  /** Holds a node that leads anew where it gets ready, and asks it for an id meanwhile. */
  private long[] askedWhileGettingReady(Modes modes) throws Exception {
    AllocatorNode[] pair = pair(modes);
    long before = pair[0].next(table);
    hand(pair[0], pair[1]);
    long after = pair[1].next(table);
    pair[0].failpoints.arm("insideOnBecome", "pause");
    resignUntil(pair[1], () -> pair[0].failpoints.state("insideOnBecome").waiting() > 0);
    CompletableFuture<Long> early = nextInBackground(pair[0], table);
    if (modes.equals(Modes.CORRECT)) {
      await().pollDelay(Duration.ofMillis(300)).until(() -> !early.isDone());
    } else {
      early.get(20, TimeUnit.SECONDS);
    }
    pair[0].failpoints.disarm("insideOnBecome");
    await().atMost(PATIENCE).until(() -> ready(pair[0], modes));
    return new long[] {before, after, early.get(20, TimeUnit.SECONDS), pair[0].next(table)};
  }

  /** Whether a node that was held where it gets ready has dropped its earlier ranges. */
  private boolean ready(AllocatorNode node, Modes modes) {
    return modes.equals(Modes.CORRECT) || node.service.range(table).isEmpty();
  }

  @Test
  void aLeaderDoesNotAnswerBeforeItIsReady() throws Exception {
    assertThat(askedWhileGettingReady(Modes.CORRECT)).containsExactly(1, 4_001, 8_001, 8_002);
  }

  @Test
  void aLeaderAnswersFromAnEarlierReignWhenItIsSeenBeforeItIsReady() throws Exception {
    assertThat(askedWhileGettingReady(defect("pd-4884"))).containsExactly(1, 4_001, 2, 8_001);
  }

  /** A deposed node stops, and the lead changes once more. */
  private long[] deposedNodeStops(Modes modes) throws Exception {
    AllocatorNode[] pair = pair(modes);
    long[] first = next(pair[0], 2);
    hand(pair[0], pair[1]);
    long[] second = next(pair[1], 2);
    pair[0].close();
    nodes.remove(pair[0]);
    pair[1].close();
    nodes.remove(pair[1]);
    AllocatorNode c = start("c", modes);
    awaitLead(c);
    return concat(first, second, next(c, 2));
  }

  @Test
  void aNodeThatStopsLeavesCountersAlone() throws Exception {
    assertThat(deposedNodeStops(Modes.CORRECT)).containsExactly(1, 2, 4_001, 4_002, 8_001, 8_002);
  }

  @Test
  void aDeposedNodeThatStopsSetsCountersBackWhenItWritesBack() throws Exception {
    AllocatorNode[] pair = pair(defect("tidb-46444"));
    next(pair[0], 2);
    hand(pair[0], pair[1]);
    assertThat(next(pair[1], 2)).containsExactly(4_001, 4_002);
    pair[0].close();
    nodes.remove(pair[0]);
    AllocatorNode c = start("c", defect("tidb-46444"));
    hand(pair[1], c);
    assertThat(next(c, 2)).containsExactly(3, 4);
    assertThat(c.client.rebase(table, 4_000, false, false))
        .isInstanceOf(RebaseResult.Rebased.class);
    assertThat(next(c, 2)).as("ids given out before").containsExactly(4_001, 4_002);
  }

  /** A row is inserted and deleted before its leader is succeeded. */
  private long[] highestRowDeleted(Modes modes) throws Exception {
    AllocatorNode[] pair = pair(modes);
    long[] first = next(pair[0], 3);
    write(pair[0], Keys.row(table, Keys.encode(List.of(first[0]))), "{}");
    write(pair[0], Keys.row(table, Keys.encode(List.of(first[1]))), "{}");
    hand(pair[0], pair[1]);
    return concat(first, next(pair[1], 1));
  }

  private static void write(AllocatorNode node, String key, String value) throws Exception {
    StoreTxn txn = node.store.begin();
    txn.put(key, value);
    assertThat(txn.commit()).isInstanceOf(CommitResult.Committed.class);
  }

  @Test
  void theIdOfADeletedRowDoesNotComeAgain() throws Exception {
    assertThat(highestRowDeleted(Modes.CORRECT)).containsExactly(1, 2, 3, 4_001);
  }

  @Test
  void theIdOfADeletedRowComesAgainWhenTheCounterIsTakenFromTheRows() throws Exception {
    assertThat(highestRowDeleted(defect("mysql-199"))).containsExactly(1, 2, 3, 3);
  }

  /** The reply to a forced rebase is lost, and ids are taken before it is repeated. */
  private long[] forcedRebaseRepeated(Modes modes) throws Exception {
    AllocatorNode[] pair = pair(modes);
    long before = pair[0].next(table);
    pair[0].failpoints.arm("dropReply", "1*pause");
    CompletableFuture<RebaseResult> forced = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                forced.complete(pair[1].client.rebase(table, 100, true, false));
              } catch (InterruptedException e) {
                forced.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    awaitHeld(pair[0], "dropReply");
    long between = pair[0].next(table);
    assertThat(forced.get(20, TimeUnit.SECONDS)).isInstanceOf(RebaseResult.Rebased.class);
    return new long[] {before, between, pair[0].next(table)};
  }

  @Test
  void aForcedRebaseThatIsRepeatedDoesNotUndoWhatCameBetween() throws Exception {
    assertThat(forcedRebaseRepeated(Modes.CORRECT)).containsExactly(1, 101, 102);
  }

  @Test
  void aForcedRebaseThatIsRepeatedUndoesWhatCameBetweenWhenItIsNotRemembered() throws Exception {
    assertThat(forcedRebaseRepeated(defect("rebase-retry"))).containsExactly(1, 101, 101);
  }

  @Test
  void aTableIsReachedFromEveryNodeAndKeepsItsFloor() throws Exception {
    AllocatorNode[] pair = pair(Modes.CORRECT);
    assertThat(pair[1].client.rebase(table, 9_000, false, false))
        .isInstanceOf(RebaseResult.Rebased.class);
    assertThat(pair[0].next(table)).isEqualTo(9_001);
    assertThat(pair[1].client.alloc(table, 3, new Spacing(10, 5), false))
        .isInstanceOfSatisfying(
            AllocResult.Allocated.class,
            ids -> {
              assertThat(ids.min()).isEqualTo(9_001);
              assertThat(ids.max()).isEqualTo(9_025);
            });
    assertThat(pair[1].client.alloc(table, 0, Spacing.DENSE, false))
        .isInstanceOfSatisfying(
            AllocResult.Allocated.class, ids -> assertThat(ids.max()).isEqualTo(9_025));
  }

  @Test
  void aClientWaitsWhileNobodyLeads() throws Exception {
    AllocatorNode a = start("a", Modes.CORRECT);
    assertThat(a.next(table)).isEqualTo(1);
    a.failpoints.arm("beforeSetOwnerFlag", "pause");
    assertThat(a.ownership.resign()).isEqualTo(Outcome.done(true));
    CompletableFuture<Long> waiting = nextInBackground(a, table);
    await().pollDelay(Duration.ofMillis(300)).until(() -> !waiting.isDone());
    a.failpoints.disarm("beforeSetOwnerFlag");
    assertThat(waiting.get(20, TimeUnit.SECONDS)).isEqualTo(4_001);
  }
}
