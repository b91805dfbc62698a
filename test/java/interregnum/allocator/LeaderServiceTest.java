package interregnum.allocator;

import static interregnum.allocator.FakeCluster.TABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import interregnum.defect.Defects;
import interregnum.failpoint.FailpointException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeaderServiceTest {

  private static final LeaderReply NOT_LEADER = new LeaderReply.NotLeader();

  private static FakeCluster correct() {
    return new FakeCluster(AllocatorModes.CORRECT, "a", "b");
  }

  private static FakeCluster with(String defect) {
    return new FakeCluster(Defects.modes(List.of(defect)).allocator(), "a", "b");
  }

  private static Optional<String> counter(FakeCluster cluster) {
    return cluster.store.value(Counters.counterKey(TABLE));
  }

  /** What another thread's call comes to. */
  private static <T> CompletableFuture<T> inBackground(Call<T> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(call.run());
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return result;
  }

  private interface Call<T> {
    T run() throws Exception;
  }

  private static void awaitHeld(FakeCluster.Node node, String failpoint) {
    await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(2))
        .until(() -> node.failpoints.state(failpoint).waiting() == 1);
  }

  @Test
  void answersOnlyWhileItReigns() throws Exception {
    FakeCluster cluster = correct();
    assertThat(cluster.node("a").alloc(1)).isEqualTo(NOT_LEADER);
    assertThat(cluster.node("a").rebase(9)).isEqualTo(NOT_LEADER);
    FakeCluster.Node a = cluster.elect("a");
    assertThat(a.alloc(3)).isEqualTo(new LeaderReply.Granted(0, 3, 11));
    assertThat(a.alloc(1)).isEqualTo(new LeaderReply.Granted(3, 4, 11));
    a.retire();
    assertThat(a.alloc(1)).isEqualTo(NOT_LEADER);
  }

  @Test
  void reservesAStepAtATime() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    a.alloc(1);
    assertThat(counter(cluster)).contains("4000");
    assertThat(a.alloc(3_999)).isEqualTo(new LeaderReply.Granted(1, 4_000, 11));
    assertThat(counter(cluster)).contains("4000");
    a.alloc(1);
    assertThat(counter(cluster)).contains("8000");
    assertThat(a.alloc(10_000)).isEqualTo(new LeaderReply.Granted(4_001, 14_001, 11));
    assertThat(counter(cluster)).contains("14001");
  }

  /** The schedule of pingcap/tidb#52600. */
  @Test
  void goesOnAboveItsPredecessorsAfterAChangeToAndFro() throws Exception {
    FakeCluster cluster = correct();
    assertThat(toAndFro(cluster)).containsExactly(1, 2, 3, 4, 4_001, 4_002, 4_003, 8_001, 8_002);
  }

  @Test
  void goesBackAfterAChangeToAndFroWhenItKeepsItsRanges() throws Exception {
    FakeCluster cluster = with("tidb-52600");
    assertThat(toAndFro(cluster)).containsExactly(1, 2, 3, 4, 4_001, 4_002, 4_003, 5, 6);
  }

  @Test
  void tellsInWhichTermItsIdsWereReserved() throws Exception {
    FakeCluster cluster = correct();
    toAndFro(cluster);
    assertThat(cluster.elect("b").alloc(1)).isEqualTo(new LeaderReply.Granted(12_000, 12_001, 14));
    FakeCluster keeping = with("tidb-52600");
    toAndFro(keeping);
    assertThat(keeping.elect("b").alloc(1)).isEqualTo(new LeaderReply.Granted(4_003, 4_004, 12));
  }

  private static long[] toAndFro(FakeCluster cluster) throws Exception {
    FakeCluster.Node a = cluster.elect("a");
    long[] ids = new long[9];
    for (int i = 0; i < 4; i++) {
      ids[i] = a.next();
    }
    FakeCluster.Node b = cluster.elect("b");
    for (int i = 4; i < 7; i++) {
      ids[i] = b.next();
    }
    cluster.elect("a");
    ids[7] = a.next();
    ids[8] = a.next();
    return ids;
  }

  @Test
  void doesNotAnswerFromMemoryOnceDeposed() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    a.next();
    cluster.elect("b").next();
    assertThat(a.alloc(1)).isEqualTo(NOT_LEADER);
  }

  @Test
  void answersFromMemoryOnceDeposedWhenItDoesNotLookAtItsLease() throws Exception {
    FakeCluster cluster = with("serve-after-lease");
    FakeCluster.Node a = cluster.elect("a");
    assertThat(a.next()).isEqualTo(1);
    assertThat(cluster.elect("b").next()).isEqualTo(4_001);
    assertThat(a.next()).isEqualTo(2);
    assertThat(a.alloc(5_000)).isEqualTo(NOT_LEADER);
    cluster.elect("a");
    assertThat(a.next()).isEqualTo(8_001);
  }

  @Test
  void withdrawsIdsThatItTookBeforeItsLeaseRanOut() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    a.next();
    a.failpoints.arm("beforeReply", "pause");
    CompletableFuture<LeaderReply> held = inBackground(() -> a.alloc(1));
    awaitHeld(a, "beforeReply");
    assertThat(cluster.elect("b").next()).isEqualTo(4_001);
    a.failpoints.disarm("beforeReply");
    assertThat(held.get(20, TimeUnit.SECONDS)).isEqualTo(NOT_LEADER);
  }

  @Test
  void withdrawsIdsThatItTookInAnEarlierReignOfItsOwn() throws Exception {
    for (String barrier : List.of("afterOwnerCheck", "afterGetVal", "beforeReply")) {
      FakeCluster cluster = correct();
      FakeCluster.Node a = cluster.elect("a");
      a.next();
      a.failpoints.arm(barrier, "pause");
      CompletableFuture<LeaderReply> held = inBackground(() -> a.alloc(1));
      awaitHeld(a, barrier);
      cluster.elect("b").next();
      cluster.elect("a");
      a.failpoints.disarm(barrier);
      assertThat(held.get(20, TimeUnit.SECONDS)).as(barrier).isEqualTo(NOT_LEADER);
      assertThat(a.next()).as(barrier).isEqualTo(8_001);
    }
  }

  @Test
  void cannotReserveOnceDeposedThoughItBelievesInItsLease() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    cluster.crown("b").next();
    assertThat(a.alloc(1)).isEqualTo(NOT_LEADER);
    assertThat(a.force(9, "r1")).isEqualTo(NOT_LEADER);
    assertThat(counter(cluster)).contains("4000");
  }

  @Test
  void takesFromMemoryWhileAnotherRequestAsksTheStore() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    a.next();
    a.failpoints.arm("beforeReserve", "pause");
    CompletableFuture<LeaderReply> large = inBackground(() -> a.alloc(5_000));
    awaitHeld(a, "beforeReserve");
    assertThat(a.next()).isEqualTo(2);
    a.failpoints.disarm("beforeReserve");
    assertThat(large.get(20, TimeUnit.SECONDS)).isEqualTo(new LeaderReply.Granted(2, 5_002, 11));
  }

  @Test
  void giveUpWaitingForAStoreThatDoesNotAnswerAnotherRequest() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    a.failpoints.arm("beforeReserve", "1*pause");
    CompletableFuture<LeaderReply> first = inBackground(() -> a.alloc(1));
    awaitHeld(a, "beforeReserve");
    assertThat(a.alloc(1)).isInstanceOf(LeaderReply.Failed.class);
    assertThat(a.rebase(9)).isInstanceOf(LeaderReply.Failed.class);
    assertThat(a.force(9, "r1")).isInstanceOf(LeaderReply.Failed.class);
    a.failpoints.disarm("beforeReserve");
    assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo(new LeaderReply.Granted(0, 1, 11));
  }

  @Test
  void liftsItsCounterInMemoryWithinItsRangeAndInTheStoreBeyond() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    a.next();
    assertThat(a.rebase(100)).isEqualTo(new LeaderReply.Moved(11));
    assertThat(counter(cluster)).contains("4000");
    assertThat(a.next()).isEqualTo(101);
    assertThat(a.rebase(50)).isEqualTo(new LeaderReply.Moved(11));
    assertThat(a.next()).isEqualTo(102);
    a.rebase(4_000);
    assertThat(counter(cluster)).contains("4000");
    a.rebase(10_000);
    assertThat(counter(cluster)).contains("14000");
    assertThat(a.next()).isEqualTo(10_001);
    assertThat(a.rebase(-5)).isEqualTo(new LeaderReply.Moved(11));
    assertThat(a.next()).isEqualTo(10_002);
  }

  @Test
  void liftsAFreshCounter() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    a.rebase(10);
    assertThat(a.next()).isEqualTo(11);
    FakeCluster.Node b = cluster.elect("b");
    b.rebase(20);
    assertThat(counter(cluster)).contains("4010");
    assertThat(b.next()).isEqualTo(4_011);
  }

  @Test
  void tellsWhereTheCounterStandsWithoutReserving() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    assertThat(a.alloc(0)).isEqualTo(new LeaderReply.Granted(0, 0, 11));
    assertThat(counter(cluster)).isEmpty();
    a.next();
    assertThat(a.alloc(0)).isEqualTo(new LeaderReply.Granted(1, 1, 11));
    FakeCluster.Node b = cluster.elect("b");
    assertThat(b.alloc(0)).isEqualTo(new LeaderReply.Granted(4_000, 4_000, 12));
    assertThat(b.next()).isEqualTo(4_001);
  }

  @Test
  void setsTheCounterByForce() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    a.alloc(50);
    assertThat(a.force(20, "r1")).isEqualTo(new LeaderReply.Moved(11));
    assertThat(a.next()).isEqualTo(21);
    assertThat(a.force(9_000, "r2")).isEqualTo(new LeaderReply.Moved(11));
    assertThat(a.next()).isEqualTo(9_001);
    assertThat(a.force(-7, "r3")).isEqualTo(new LeaderReply.Moved(11));
    assertThat(a.next()).isEqualTo(1);
  }

  @Test
  void carriesOutAForcedRebaseOnceHoweverOftenItComes() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    a.next();
    a.force(100, "r1");
    assertThat(a.next()).isEqualTo(101);
    assertThat(a.force(100, "r1")).isEqualTo(new LeaderReply.Moved(11));
    assertThat(a.next()).isEqualTo(102);
    FakeCluster.Node b = cluster.elect("b");
    assertThat(b.force(100, "r1")).isEqualTo(new LeaderReply.Moved(12));
    assertThat(b.next()).isEqualTo(4_101);
    for (int i = 0; i < 100; i++) {
      b.force(50, "s" + i);
    }
    assertThat(b.next()).isEqualTo(51);
    b.force(50, "s99");
    assertThat(b.next()).isEqualTo(52);
  }

  @Test
  void recognisesAForcedRebaseWhoseCommitWasNotAnswered() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    a.next();
    cluster.store.next(FakeStore.Mishap.LOST_ANSWER);
    assertThat(a.force(100, "r1")).isInstanceOf(LeaderReply.Unknown.class);
    assertThat(a.next()).isEqualTo(101);
    assertThat(a.force(100, "r1")).isEqualTo(new LeaderReply.Moved(11));
    assertThat(a.next()).isEqualTo(102);
  }

  @Test
  void readsTheCounterAnewWhenItDoesNotKnowWhetherAReservationHappened() throws Exception {
    for (FakeStore.Mishap mishap :
        List.of(FakeStore.Mishap.LOST_ANSWER, FakeStore.Mishap.LOST_COMMIT)) {
      FakeCluster cluster = correct();
      FakeCluster.Node a = cluster.elect("a");
      cluster.store.next(mishap);
      assertThat(a.alloc(1)).as(mishap.name()).isInstanceOf(LeaderReply.Unknown.class);
      long first = mishap == FakeStore.Mishap.LOST_ANSWER ? 4_001 : 1;
      assertThat(a.next()).as(mishap.name()).isEqualTo(first);
    }
  }

  @Test
  void losesNothingWhenTheStoreRefuses() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    cluster.store.next(FakeStore.Mishap.FAILURE);
    assertThat(a.alloc(1)).isInstanceOf(LeaderReply.Failed.class);
    cluster.store.unreachable(true);
    assertThat(a.alloc(1)).isInstanceOf(LeaderReply.Failed.class);
    cluster.store.unreachable(false);
    cluster.store.next(FakeStore.Mishap.CONFLICT);
    assertThat(a.next()).isEqualTo(1);
    cluster.store.unreachable(true);
    assertThat(a.next()).isEqualTo(2);
  }

  @Test
  void losesNoRangeWhenItFailsOnTheWay() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    a.failpoints.arm("afterReserveCommit", "1*error");
    assertThatThrownBy(() -> a.alloc(1)).isInstanceOf(FailpointException.class);
    assertThat(a.next()).isEqualTo(4_001);
    a.failpoints.arm("dropReply", "1*error");
    assertThatThrownBy(() -> a.alloc(1)).isInstanceOf(FailpointException.class);
    assertThat(a.next()).isEqualTo(4_003);
  }

  @Test
  void followsACounterThatSomebodyElseMoved() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    a.alloc(3_999);
    cluster.store.set(Counters.counterKey(TABLE), "20000");
    assertThat(a.next()).isEqualTo(4_000);
    assertThat(a.next()).isEqualTo(20_001);
  }

  @Test
  void staysExhaustedUntilForced() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    a.rebase(Long.MAX_VALUE - 2);
    assertThat(a.alloc(3)).isEqualTo(new LeaderReply.Exhausted());
    assertThat(a.alloc(2))
        .isEqualTo(new LeaderReply.Granted(Long.MAX_VALUE - 2, Long.MAX_VALUE, 11));
    for (String name : List.of("a", "b")) {
      FakeCluster.Node node = cluster.elect(name);
      assertThat(node.alloc(1)).isEqualTo(new LeaderReply.Exhausted());
      assertThat(node.alloc(0))
          .isInstanceOfSatisfying(
              LeaderReply.Granted.class, g -> assertThat(g.max()).isEqualTo(Long.MAX_VALUE));
    }
    cluster.node("b").force(5, "r1");
    assertThat(cluster.node("b").next()).isEqualTo(6);
  }

  @Test
  void handsOutUnsignedIdsUpToTheLast() throws Exception {
    FakeCluster cluster = correct();
    LeaderService a = cluster.elect("a").service;
    a.rebase(new RebaseRequest(TABLE, Long.MAX_VALUE, false, true, "r"));
    AllocRequest one = new AllocRequest(TABLE, 1, Spacing.DENSE, true);
    assertThat(a.alloc(one))
        .isEqualTo(new LeaderReply.Granted(Long.MAX_VALUE, Long.MIN_VALUE, 11));
    a.rebase(new RebaseRequest(TABLE, -3, false, true, "r"));
    assertThat(counter(cluster)).contains(Long.toUnsignedString(-1));
    assertThat(a.alloc(one)).isEqualTo(new LeaderReply.Granted(-3, -2, 11));
    assertThat(a.alloc(one)).isEqualTo(new LeaderReply.Granted(-2, -1, 11));
    assertThat(a.alloc(one)).isEqualTo(new LeaderReply.Exhausted());
    LeaderService b = cluster.elect("b").service;
    assertThat(b.alloc(one)).isEqualTo(new LeaderReply.Exhausted());
  }

  @Test
  void keepsTablesApart() throws Exception {
    FakeCluster cluster = correct();
    FakeCluster.Node a = cluster.elect("a");
    a.alloc(10);
    assertThat(a.service.alloc(new AllocRequest(8, 1, Spacing.DENSE, false)))
        .isEqualTo(new LeaderReply.Granted(0, 1, 11));
    assertThat(a.service.range(TABLE)).contains(new LeaderService.RangeView(10, 4_000, 11));
    assertThat(a.service.range(8)).contains(new LeaderService.RangeView(1, 4_000, 11));
    assertThat(a.service.range(9)).isEmpty();
  }

  @Test
  void jumpsToTheOffsetForGood() throws Exception {
    FakeCluster cluster = correct();
    Spacing far = new Spacing(66, 9_527);
    assertThat(cluster.elect("a").alloc(1, far))
        .isEqualTo(new LeaderReply.Granted(9_526, 9_527, 11));
    assertThat(cluster.elect("b").alloc(1, far))
        .isEqualTo(new LeaderReply.Granted(13_526, 13_553, 12));
  }
}
