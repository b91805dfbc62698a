package interregnum.coordinator;

import static interregnum.coordinator.TestNode.DB;
import static interregnum.coordinator.TestNode.create;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import interregnum.etcd.EtcdServer;
import interregnum.table.DdlStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every failpoint of owners, schema changes, loaders and transactions is where work comes by. */
class FailpointsHitTest {
  @RegisterExtension static final EtcdServer SERVER = new EtcdServer();

  @RegisterExtension final TestCluster cluster = new TestCluster(SERVER);

  private static final List<String> OWNER =
      List.of(
          "afterCampaignWin", "beforeSetOwnerFlag", "betweenVerifyAndWatch", "onWatchDelete",
          "beforeClearOwnerFlag", "insideOnBecome", "insideOnRetire", "dropKeepAlive",
          "loseWatchEvents");

  private static final List<String> DDL =
      List.of(
          "afterLoadJobs", "beforeRunJob", "afterVersionAlloc", "beforeStepCommit",
          "afterStepCommit", "beforePublish", "beforeWaitSync", "beforeCleanMdl",
          "beforeMoveToHistory", "beforeAck", "beforeBackfillCommit");

  /** In the code of nodes that look at their own flag in place of the term. */
  private static final List<String> LOCAL_FLAG = List.of("beforeCheckOwner", "afterCheckOwner");

  private static final List<String> LOADER =
      List.of(
          "beforeReload", "skipTickReload", "afterReadVersion", "diffMissing", "beforeApplyDiff",
          "slowFullLoad", "reportVersionError", "mdlCheckSkip");

  private static final List<String> TXN =
      List.of("afterSchemaCheck", "beforeKvCommit", "kvCommitUnknown");

  /** Starts a node on which the points count their hits and do nothing else. */
  private TestNode start(String id, List<String> points, String... defects)
      throws InterruptedException {
    TestNode node = cluster.node(id, defects);
    points.forEach(point -> node.failpoints.arm(point, "sleep(0)"));
    return node.start();
  }

  private Set<String> unhit(List<String> points) {
    Set<String> unhit = new TreeSet<>();
    for (String point : points) {
      if (cluster.nodes().stream().allMatch(n -> n.failpoints.state(point).hits() == 0)) {
        unhit.add(point);
      }
    }
    return unhit;
  }

  @Test
  void hitsAllPoints() throws InterruptedException {
    List<String> points = new ArrayList<>(OWNER);
    points.addAll(DDL);
    points.addAll(LOADER);
    points.addAll(TXN);
    TestNode a = start("a", points);
    cluster.owner();
    start("b", points);
    assertThat(a.submit(create("t")).await()).isEqualTo("ok");
    assertThat(a.sql("insert into t values (1, 1)")).isEqualTo("ok");
    DdlStatement addIndex = new DdlStatement.AddIndex(DB, "t", "i", List.of("v"), false);
    assertThat(a.submit(addIndex).await()).isEqualTo("ok");
    cluster.depose(a);
    cluster.owner(a);
    await()
        .atMost(TestCluster.LONG)
        .untilAsserted(() -> assertThat(unhit(points)).isEmpty());
  }

  @Test
  void hitsThePointsAroundTheFlag() throws InterruptedException {
    TestNode a = start("a", LOCAL_FLAG, "tidb-58483");
    cluster.owner();
    assertThat(a.submit(create("t")).await()).isEqualTo("ok");
    assertThat(unhit(LOCAL_FLAG)).isEmpty();
  }
}
