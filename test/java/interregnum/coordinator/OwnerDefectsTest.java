package interregnum.coordinator;

import static interregnum.coordinator.TestCluster.awaitHeld;
import static interregnum.coordinator.TestNode.DB;
import static interregnum.coordinator.TestNode.create;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import interregnum.etcd.EtcdServer;
import interregnum.schema.MdlRow;
import interregnum.schema.SchemaDiff;
import interregnum.schema.SchemaKeys;
import interregnum.table.DdlStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Schedules around a change of the owner, each with the defect that it shows and without. */
class OwnerDefectsTest {
  @RegisterExtension static final EtcdServer SERVER = new EtcdServer();

  @RegisterExtension final TestCluster cluster = new TestCluster(SERVER);

  private static final Duration LONG = TestCluster.LONG;
  private static final Duration WHILE = Duration.ofSeconds(1);
  private static final Duration TWO_RELOADS = Duration.ofSeconds(6);

  /** The terms of the diffs, by the revisions at which they were committed. */
  private List<Long> termsInOrderOfCommit() throws InterruptedException {
    TestNode node = cluster.nodes().get(0);
    List<SchemaDiff> diffs = new ArrayList<>(new DdlReport(node.context).diffs());
    List<Long> revisions = new ArrayList<>();
    for (SchemaDiff diff : diffs) {
      revisions.add(cluster.modRevision(SchemaKeys.diff(diff.version())));
    }
    List<Long> sorted = revisions.stream().sorted().toList();
    return sorted.stream().map(r -> diffs.get(revisions.indexOf(r)).term()).toList();
  }

  /**
   * The owner's key is deleted before it watches; then its successor does one job, and it is given
   * the chance to do another.
   */
  private String playDeletionBeforeTheWatch(String... defects) throws InterruptedException {
    TestNode a = cluster.node("a", defects);
    a.failpoints.arm("betweenVerifyAndWatch", "1*pause");
    a.start();
    awaitHeld(a, "betweenVerifyAndWatch");
    cluster.depose(a);
    TestNode b = cluster.node("b", defects).start();
    cluster.owner(a);
    a.failpoints.arm("afterLoadJobs", "pause");
    a.failpoints.disarm("betweenVerifyAndWatch");
    assertThat(b.submit(create("one")).await()).isEqualTo("ok");
    b.failpoints.arm("afterLoadJobs", "pause");
    a.failpoints.disarm("afterLoadJobs");
    TestNode.Pending two = a.submit(create("two"));
    two.task().join(Duration.ofSeconds(4));
    String end = two.end().get();
    b.failpoints.disarm("afterLoadJobs");
    assertThat(two.await()).isEqualTo("ok");
    return end;
  }

  @Test
  void retiresWhenItsKeyWasDeletedBeforeTheWatch() throws InterruptedException {
    assertThat(playDeletionBeforeTheWatch()).isEmpty();
    assertThat(cluster.nodes().get(0).coordinator.ownership().isOwner()).isFalse();
    assertThat(termsInOrderOfCommit()).isSorted();
  }

  @Test
  void reignsBesideItsSuccessorWithTidb54689() throws InterruptedException {
    assertThat(playDeletionBeforeTheWatch("tidb-54689")).isEqualTo("ok");
    assertThat(cluster.nodes()).allMatch(n -> n.coordinator.ownership().isOwner());
    List<Long> terms = termsInOrderOfCommit();
    assertThat(terms.get(1)).isLessThan(terms.get(0));
  }

  /** A deposed owner commits the step of a job that its successor has picked up, too. */
  private String playTwoOwnersOfAJob(String... defects) throws InterruptedException {
    TestNode a = cluster.start(defects);
    a.failpoints.arm("beforeStepCommit", "1*pause:table=u");
    TestNode.Pending creating = cluster.other(a).submit(create("u"));
    awaitHeld(a, "beforeStepCommit");
    a.failpoints.arm("beforeClearOwnerFlag", "pause");
    cluster.nodes().forEach(n -> n.failpoints.arm("beforeRunJob", "pause:table=u"));
    cluster.depose(a);
    TestNode b = cluster.owner(a);
    awaitHeld(b, "beforeRunJob");
    a.failpoints.arm("afterStepCommit", "pause:table=u");
    a.failpoints.disarm("beforeStepCommit");
    await()
        .atMost(LONG)
        .until(
            () ->
                a.failpoints.state("afterStepCommit").waiting() == 1
                    || a.coordinator.running().isEmpty());
    b.failpoints.disarm("beforeRunJob");
    String end = creating.await();
    a.failpoints.disarm("afterStepCommit");
    a.failpoints.disarm("beforeClearOwnerFlag");
    return end;
  }

  @Test
  void keepsADeposedOwnerFromAJobOfItsSuccessor() throws InterruptedException {
    assertThat(playTwoOwnersOfAJob()).isEqualTo("ok");
    assertThat(termsInOrderOfCommit()).isSorted();
  }

  @Test
  void failsAJobThatADeposedOwnerHasDoneWithTidb50055() throws InterruptedException {
    assertThat(playTwoOwnersOfAJob("tidb-50055"))
        .isEqualTo("TABLE_EXISTS: Table 'test.u' already exists");
    TestNode node = cluster.nodes().get(0);
    assertThat(node.store.begin().get(TestNode.key("u"))).isPresent();
    assertThat(node.coordinator.history(1).get(0).progress().state())
        .isEqualTo(JobState.CANCELLED);
  }

  /** A node loses the role in the middle of a job and regains it; its workers on the job then. */
  private String playRegainedRole(int workers, String... defects) throws InterruptedException {
    TestNode a = cluster.node("a", defects).start();
    cluster.owner();
    TestNode b = cluster.node("b", defects).start();
    a.failpoints.arm("beforeStepCommit", "1*pause:table=u");
    TestNode.Pending creating = b.submit(create("u"));
    awaitHeld(a, "beforeStepCommit");
    b.failpoints.arm("afterLoadJobs", "pause");
    a.coordinator.ownership().resign();
    cluster.owner(a);
    awaitHeld(b, "afterLoadJobs");
    a.failpoints.arm("beforeRunJob", "pause:table=u");
    b.coordinator.ownership().resign();
    cluster.owner(b);
    awaitHeld(a, "beforeRunJob");
    int held =
        a.failpoints.state("beforeRunJob").waiting()
            + a.failpoints.state("beforeStepCommit").waiting();
    assertThat(held).isEqualTo(workers);
    a.failpoints.arm("afterStepCommit", "1*pause:table=u");
    a.failpoints.disarm("beforeStepCommit");
    if (workers > 1) {
      awaitHeld(a, "afterStepCommit");
    } else {
      a.failpoints.disarm("afterStepCommit");
    }
    a.failpoints.disarm("beforeRunJob");
    String end = creating.await();
    a.failpoints.disarm("afterStepCommit");
    return end;
  }

  @Test
  void hasOneWorkerOnAJobAfterRegainingTheRole() throws InterruptedException {
    assertThat(playRegainedRole(1)).isEqualTo("ok");
  }

  @Test
  void hasTwoWorkersOnAJobWithTidb51846() throws InterruptedException {
    assertThat(playRegainedRole(2, "tidb-51846"))
        .isEqualTo("TABLE_EXISTS: Table 'test.u' already exists");
    assertThat(cluster.nodes().get(0).store.begin().get(TestNode.key("u"))).isPresent();
  }

  /** The change's client has no answer, and its job is still in the queue. */
  private void assertStuck(TestNode.Pending change) throws InterruptedException {
    assertThat(change.end().get()).isEmpty();
    assertThat(cluster.other().coordinator.jobs()).hasSize(1);
  }

  /**
   * A deposed owner is about to delete a job's metadata lock row; its successor has written one for
   * the next step, which one node has not seen yet. Whether the job ends.
   */
  private TestNode.Pending playLateCleaning(String... defects) throws InterruptedException {
    TestNode a = cluster.start(defects);
    a.failpoints.arm("beforeCleanMdl", "1*pause:table=t");
    TestNode.Pending adding =
        a.submit(new DdlStatement.AddIndex(DB, "t", "i", List.of("v"), false));
    awaitHeld(a, "beforeCleanMdl");
    a.failpoints.arm("beforeClearOwnerFlag", "pause");
    cluster.nodes().forEach(n -> n.failpoints.arm("beforeRunJob", "pause:table=t"));
    cluster.depose(a);
    TestNode b = cluster.owner(a);
    awaitHeld(b, "beforeRunJob");
    TestNode c = cluster.other(a, b);
    c.failpoints.arm("beforeReload", "pause");
    awaitHeld(c, "beforeReload");
    b.failpoints.arm("beforeWaitSync", "1*pause:table=t");
    b.failpoints.disarm("beforeRunJob");
    awaitHeld(b, "beforeWaitSync");
    List<MdlRow> rows = new DdlReport(b.context).mdlRows();
    assertThat(rows).singleElement().matches(row -> row.owner().startsWith(b.id + "@"));
    a.failpoints.disarm("beforeCleanMdl");
    a.runtime.sleep(WHILE);
    c.failpoints.disarm("beforeReload");
    b.failpoints.disarm("beforeWaitSync");
    adding.task().join(TWO_RELOADS);
    return adding;
  }

  @Test
  void leavesItsSuccessorsLockRowAlone() throws InterruptedException {
    assertThat(playLateCleaning().await()).isEqualTo("ok");
  }

  @Test
  void getsItsSuccessorStuckWithTidb53073() throws InterruptedException {
    assertStuck(playLateCleaning("tidb-53073"));
    assertThat(new DdlReport(cluster.nodes().get(0).context).mdlRows()).isEmpty();
  }

  /** A version commits after a higher one, which all nodes have seen. */
  private TestNode.Pending playLateVersion(String... defects) throws InterruptedException {
    TestNode a = cluster.start(defects);
    a.failpoints.arm("afterVersionAlloc", "pause:table=aaa");
    a.failpoints.arm("beforeClearOwnerFlag", "pause");
    cluster.nodes().forEach(n -> n.failpoints.arm("beforeRunJob", "pause:table=aaa"));
    a.failpoints.disarm("beforeRunJob");
    TestNode.Pending creating = cluster.other(a).submit(create("aaa"));
    awaitHeld(a, "afterVersionAlloc");
    cluster.depose(a);
    TestNode b = cluster.owner(a);
    assertThat(b.submit(create("bbb")).await()).isEqualTo("ok");
    awaitHeld(b, "beforeRunJob");
    a.failpoints.arm("afterStepCommit", "pause:table=aaa");
    a.failpoints.disarm("afterVersionAlloc");
    await()
        .atMost(LONG)
        .until(
            () ->
                a.failpoints.state("afterStepCommit").waiting() == 1
                    || a.coordinator.running().isEmpty());
    cluster.nodes().forEach(n -> n.failpoints.disarm("beforeRunJob"));
    a.failpoints.disarm("beforeClearOwnerFlag");
    creating.task().join(TWO_RELOADS);
    return creating;
  }

  @Test
  void reportsEveryVersion() throws InterruptedException {
    assertThat(playLateVersion().await()).isEqualTo("ok");
  }

  @Test
  void neverReportsALateVersionWithTidb58483() throws InterruptedException {
    TestNode.Pending creating = playLateVersion("tidb-58483");
    assertStuck(creating);
    assertThat(cluster.other().submit(create("ccc")).await()).isEqualTo("ok");
    assertThat(creating.await()).isEqualTo("ok");
  }
}
