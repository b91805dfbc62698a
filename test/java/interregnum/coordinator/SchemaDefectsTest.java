package interregnum.coordinator;

import static interregnum.coordinator.TestNode.DB;
import static interregnum.coordinator.TestNode.create;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import interregnum.defect.Defects;
import interregnum.defect.Modes;
import interregnum.etcd.EtcdServer;
import interregnum.etcd.JetcdEtcd;
import interregnum.table.DdlStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Schedules that show what a defect does, each also played without it. */
class SchemaDefectsTest {
  @RegisterExtension static final EtcdServer SERVER = new EtcdServer();

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration WHILE = Duration.ofSeconds(1);
  private static final DdlStatement ADD_INDEX =
      new DdlStatement.AddIndex(DB, "t", "i", List.of("v"), false);

  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final List<TestNode> nodes = new ArrayList<>();
  private JetcdEtcd etcd;

  @BeforeEach
  void connect() throws InterruptedException {
    SERVER.clear();
    etcd = SERVER.client();
    etcd.warmUp(LONG);
  }

  @AfterEach
  void closeNodes() {
    nodes.forEach(TestNode::close);
    etcd.close();
    assertThat(failures).isEmpty();
  }

  /** Starts three nodes that know a table {@code t}; gives the owner. */
  private TestNode start(String... defects) throws InterruptedException {
    Modes modes = Defects.modes(List.of(defects));
    for (String id : List.of("a", "b", "c")) {
      TestNode.Modes parts =
          new TestNode.Modes(modes.ddlOwner(), modes.schema(), modes.coordinator());
      nodes.add(new TestNode(id, etcd, parts, (task, cause) -> failures.add(cause)).start());
    }
    TestNode owner = owner();
    assertThat(owner.submit(create("t")).await()).isEqualTo("ok");
    return owner;
  }

  private TestNode owner() {
    await()
        .atMost(LONG)
        .until(() -> nodes.stream().anyMatch(n -> n.coordinator.ownership().isOwner()));
    return nodes.stream()
        .filter(n -> n.coordinator.ownership().isOwner())
        .findFirst()
        .orElseThrow();
  }

  private TestNode other(TestNode... not) {
    return nodes.stream().filter(n -> !List.of(not).contains(n)).findFirst().orElseThrow();
  }

  private static void awaitHeld(TestNode node, String failpoint) {
    await().atMost(LONG).until(() -> node.failpoints.state(failpoint).waiting() > 0);
  }

  /** Cancels a job between two steps; how its client is answered. */
  private String cancelBetweenSteps(TestNode owner) throws InterruptedException {
    owner.failpoints.arm("beforeWaitSync", "pause:table=t");
    TestNode.Pending adding = owner.submit(ADD_INDEX);
    awaitHeld(owner, "beforeWaitSync");
    other(owner).coordinator.cancel(owner.coordinator.jobs().get(0).id());
    owner.failpoints.disarm("beforeWaitSync");
    return adding.await();
  }

  @Test
  void honoursAnAcknowledgedCancellation() throws InterruptedException {
    assertThat(cancelBetweenSteps(start())).isEqualTo("DDL_CANCELLED: Cancelled DDL job");
    assertThat(nodes.get(0).table("t").orElseThrow().indexes()).isEmpty();
  }

  @Test
  void overwritesAnAcknowledgedCancellation() throws InterruptedException {
    assertThat(cancelBetweenSteps(start("tidb-52747"))).isEqualTo("ok");
    assertThat(nodes.get(0).table("t").orElseThrow().indexes()).hasSize(1);
  }

  /** Creates a table while one node does not load anything. */
  private TestNode.Pending createBeside(TestNode held, TestNode owner) {
    held.failpoints.arm("beforeReload", "pause");
    return owner.submit(create("u"));
  }

  @Test
  void acknowledgesATableOnlyWhenAllNodesKnowIt() throws InterruptedException {
    TestNode owner = start();
    TestNode held = other(owner);
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
    TestNode owner = start("tidb-10410");
    TestNode held = other(owner);
    assertThat(createBeside(held, owner).await()).isEqualTo("ok");
    assertThat(held.table("u")).isEmpty();
  }

  /** Drops the table; whether another node still knows it. */
  private boolean servesADroppedTable(TestNode owner) throws InterruptedException {
    assertThat(owner.submit(new DdlStatement.DropTable(DB, "t", false)).await()).isEqualTo("ok");
    return other(owner).table("t").isPresent();
  }

  @Test
  void forgetsADroppedTable() throws InterruptedException {
    assertThat(servesADroppedTable(start())).isFalse();
  }

  @Test
  void servesADroppedTableWithTheDefect() throws InterruptedException {
    assertThat(servesADroppedTable(start("cockroach-5483"))).isTrue();
  }

  /** A node that neither renews its session nor loads, after the table got another name. */
  private TestNode cutOff(TestNode owner) throws InterruptedException {
    TestNode cut = other(owner);
    cut.failpoints.arm("dropKeepAlive", "pause:role=node");
    cut.failpoints.arm("beforeReload", "pause");
    await().atMost(LONG).until(() -> !cut.schema.status().serving());
    DdlStatement rename = new DdlStatement.RenameTable(DB, "t", DB, "u");
    assertThat(owner.submit(rename).await()).isEqualTo("ok");
    return cut;
  }

  @Test
  void answersNothingWithoutASession() throws InterruptedException {
    TestNode cut = cutOff(start());
    assertThatThrownBy(() -> cut.table("t")).hasMessage("Information schema is out of date");
  }

  @Test
  void answersFromWhatItKnewWithTheDefect() throws InterruptedException {
    assertThat(cutOff(start("tidb-8441")).table("t")).isPresent();
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
    assertThat(addIndexWithAnAbortedStep(start())).isEqualTo(5);
  }

  @Test
  void skipsAStateAfterAnAbortedStepWithTheDefect() throws InterruptedException {
    assertThat(addIndexWithAnAbortedStep(start("tidb-20213"))).isEqualTo(4);
  }

  /** Changes the owner while a node has not seen the job's last step; whether the next one comes. */
  private boolean goesOnWithoutANode(TestNode first) throws InterruptedException {
    first.failpoints.arm("afterStepCommit", "pause:table=t");
    first.submit(ADD_INDEX);
    awaitHeld(first, "afterStepCommit");
    TestNode held = other(first);
    held.failpoints.arm("beforeReload", "pause");
    awaitHeld(held, "beforeReload");
    long version = first.coordinator.jobs().get(0).progress().version();
    first.coordinator.ownership().resign();
    await().atMost(LONG).until(() -> owner() != first);
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
    assertThat(goesOnWithoutANode(start())).isFalse();
  }

  @Test
  void carriesAJobOnBlindlyWithTheDefect() throws InterruptedException {
    assertThat(goesOnWithoutANode(start("tidb-37209"))).isTrue();
  }
}
