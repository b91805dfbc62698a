package interregnum.coordinator;

import static interregnum.coordinator.TestCluster.awaitHeld;
import static interregnum.coordinator.TestNode.DB;
import static interregnum.coordinator.TestNode.create;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import interregnum.etcd.EtcdServer;
import interregnum.runtime.Task;
import interregnum.table.DdlStatement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Schedules that show what a defect does, each also played without it. */
class SchemaDefectsTest {
  @RegisterExtension static final EtcdServer SERVER = new EtcdServer();

  @RegisterExtension final TestCluster cluster = new TestCluster(SERVER);

  private static final Duration LONG = TestCluster.LONG;
  private static final Duration WHILE = Duration.ofSeconds(1);
  private static final DdlStatement ADD_INDEX =
      new DdlStatement.AddIndex(DB, "t", "i", List.of("v"), false);

  /** Cancels a job between two steps; how its client is answered. */
  private String cancelBetweenSteps(TestNode owner) throws InterruptedException {
    owner.failpoints.arm("beforeWaitSync", "pause:table=t");
    TestNode.Pending adding = owner.submit(ADD_INDEX);
    awaitHeld(owner, "beforeWaitSync");
    cluster.other(owner).coordinator.cancel(owner.coordinator.jobs().get(0).id());
    owner.failpoints.disarm("beforeWaitSync");
    return adding.await();
  }

  @Test
  void honoursAnAcknowledgedCancellation() throws InterruptedException {
    assertThat(cancelBetweenSteps(cluster.start())).isEqualTo("DDL_CANCELLED: Cancelled DDL job");
    assertThat(cluster.nodes().get(0).table("t").orElseThrow().indexes()).isEmpty();
  }

  @Test
  void overwritesAnAcknowledgedCancellation() throws InterruptedException {
    assertThat(cancelBetweenSteps(cluster.start("tidb-52747"))).isEqualTo("ok");
    assertThat(cluster.nodes().get(0).table("t").orElseThrow().indexes()).hasSize(1);
  }

  /** Creates a table while one node does not load anything. */
  private TestNode.Pending createBeside(TestNode held, TestNode owner) {
    held.failpoints.arm("beforeReload", "pause");
    return owner.submit(create("u"));
  }

  @Test
  void acknowledgesATableOnlyWhenAllNodesKnowIt() throws InterruptedException {
    TestNode owner = cluster.start();
    TestNode held = cluster.other(owner);
    TestNode.Pending creating = createBeside(held, owner);
    awaitHeld(held, "beforeReload");
    creating.task().join(WHILE);
    assertThat(creating.end().get()).isEmpty();
    held.failpoints.disarm("beforeReload");
    assertThat(creating.await()).isEqualTo("ok");
    assertThat(held.table("u")).isPresent();
  }

  @Test
  void acknowledgesATableThatANodeDoesNotKnow() throws InterruptedException {
    TestNode owner = cluster.start("tidb-10410");
    TestNode held = cluster.other(owner);
    assertThat(createBeside(held, owner).await()).isEqualTo("ok");
    assertThat(held.table("u")).isEmpty();
  }

  /** Drops the table; whether another node still knows it. */
  private boolean servesADroppedTable(TestNode owner) throws InterruptedException {
    assertThat(owner.submit(new DdlStatement.DropTable(DB, "t", false)).await()).isEqualTo("ok");
    return cluster.other(owner).table("t").isPresent();
  }

  @Test
  void forgetsADroppedTable() throws InterruptedException {
    assertThat(servesADroppedTable(cluster.start())).isFalse();
  }

  @Test
  void servesADroppedTableWithTheDefect() throws InterruptedException {
    assertThat(servesADroppedTable(cluster.start("cockroach-5483"))).isTrue();
  }

  /** A node that neither renews its session nor loads, after the table got another name. */
  private TestNode cutOff(TestNode owner) throws InterruptedException {
    TestNode cut = cluster.other(owner);
    cut.failpoints.arm("dropKeepAlive", "pause:role=node");
    cut.failpoints.arm("beforeReload", "pause");
    await().atMost(LONG).until(() -> !cut.schema.status().serving());
    DdlStatement rename = new DdlStatement.RenameTable(DB, "t", DB, "u");
    assertThat(owner.submit(rename).await()).isEqualTo("ok");
    return cut;
  }

  @Test
  void answersNothingWithoutASession() throws InterruptedException {
    TestNode cut = cutOff(cluster.start());
    assertThatThrownBy(() -> cut.table("t")).hasMessage("Information schema is out of date");
  }

  @Test
  void answersFromWhatItKnewWithTheDefect() throws InterruptedException {
    assertThat(cutOff(cluster.start("tidb-8441")).table("t")).isPresent();
  }

  /** Lets the commit of a job's second step fail once; the schema version after the job. */
  private long addIndexWithAnAbortedStep(TestNode owner) throws InterruptedException {
    owner.failpoints.arm("beforePublish", "pause:table=t");
    TestNode.Pending adding = owner.submit(ADD_INDEX);
    awaitHeld(owner, "beforePublish");
    owner.failpoints.arm("beforeStepCommit", "1*error:table=t");
    owner.failpoints.disarm("beforePublish");
    assertThat(adding.await()).isEqualTo("ok");
    return owner.coordinator.history(1).get(0).progress().version();
  }

  @Test
  void repeatsAnAbortedStep() throws InterruptedException {
    assertThat(addIndexWithAnAbortedStep(cluster.start())).isEqualTo(5);
  }

  @Test
  void skipsAStateAfterAnAbortedStepWithTheDefect() throws InterruptedException {
    assertThat(addIndexWithAnAbortedStep(cluster.start("tidb-20213"))).isEqualTo(4);
  }

  /** Changes the owner while a node has not seen the job's last step; whether the next one comes. */
  private boolean goesOnWithoutANode(TestNode first) throws InterruptedException {
    first.failpoints.arm("afterStepCommit", "pause:table=t");
    first.submit(ADD_INDEX);
    awaitHeld(first, "afterStepCommit");
    TestNode held = cluster.other(first);
    held.failpoints.arm("beforeReload", "pause");
    awaitHeld(held, "beforeReload");
    long version = first.coordinator.jobs().get(0).progress().version();
    first.coordinator.ownership().resign();
    await().atMost(LONG).until(() -> cluster.owner() != first);
    for (int i = 0; i < 20; i++) {
      if (first.coordinator.jobs().get(0).progress().version() > version) {
        return true;
      }
      first.runtime.sleep(Duration.ofMillis(100));
    }
    return false;
  }

  @Test
  void waitsForTheNodesBeforeItCarriesAJobOn() throws InterruptedException {
    assertThat(goesOnWithoutANode(cluster.start())).isFalse();
  }

  @Test
  void carriesAJobOnBlindlyWithTheDefect() throws InterruptedException {
    assertThat(goesOnWithoutANode(cluster.start("tidb-37209"))).isTrue();
  }

  /** Adds an index while a transaction is about to commit a row; whether it ends before that. */
  private boolean addsAnIndexBesideATransaction(TestNode owner) throws InterruptedException {
    TestNode writer = cluster.other(owner);
    writer.failpoints.arm("afterSchemaCheck", "1*pause:table=t");
    Task inserting =
        writer.runtime.spawn(
            "writer", () -> assertThat(writer.sql("insert into t values (1, 7)")).isEqualTo("ok"));
    awaitHeld(writer, "afterSchemaCheck");
    TestNode.Pending adding = owner.submit(ADD_INDEX);
    adding.task().join(Duration.ofSeconds(4));
    boolean ended = !adding.end().get().isEmpty();
    writer.failpoints.disarm("afterSchemaCheck");
    assertThat(inserting.join(LONG)).isTrue();
    assertThat(adding.await()).isEqualTo("ok");
    return ended;
  }

  @Test
  void holdsAnIndexBackUntilTransactionsHaveEnded() throws InterruptedException {
    TestNode owner = cluster.start();
    assertThat(addsAnIndexBesideATransaction(owner)).isFalse();
    assertThat(owner.sql("admin check table t")).isEqualTo("ok");
    assertThat(owner.sql("select id from t use index (i) where v = 7")).isEqualTo("[1]");
  }

  @Test
  void missesARowInAnIndexWithoutTheMetadataLock() throws InterruptedException {
    TestNode owner = cluster.start("tidb-71106");
    assertThat(addsAnIndexBesideATransaction(owner)).isTrue();
    assertThat(owner.sql("admin check table t")).startsWith("8003: ");
    assertThat(owner.sql("select id from t use index (i) where v = 7")).isEmpty();
    assertThat(owner.sql("select id from t")).isEqualTo("[1]");
  }
}
