package interregnum.coordinator;

import static interregnum.coordinator.TestNode.create;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import interregnum.coordinator.CoordinatorModes.Sealing;
import interregnum.defect.Defects;
import interregnum.defect.Modes;
import interregnum.etcd.EtcdServer;
import interregnum.etcd.JetcdEtcd;
import interregnum.etcd.TxnRequest;
import interregnum.etcd.TxnRequest.Write;
import interregnum.schema.SchemaDiff;
import interregnum.schema.SchemaModes.Holes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The schedule of pingcap/tidb#58486: a deposed owner commits a schema change after its successor has
 * committed a later version.
 */
class SeedATest {
  @RegisterExtension static final EtcdServer SERVER = new EtcdServer();

  private static final Duration LONG = Duration.ofSeconds(30);

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

  private static Modes publicBehaviour() {
    return Defects.modes(List.of("tidb-58486"));
  }

  /** Plays the schedule; the client's answers to J1 and J2. */
  private List<String> play(Modes modes) throws InterruptedException {
    TestNode.Modes parts = new TestNode.Modes(modes.ddlOwner(), modes.schema(), modes.coordinator());
    for (String id : List.of("a", "b", "c")) {
      nodes.add(new TestNode(id, etcd, parts, (task, cause) -> failures.add(cause)).start());
    }
    TestNode a = owner(null);
    a.failpoints.arm("afterVersionAlloc", "pause:table=aaa");
    a.failpoints.arm("beforeClearOwnerFlag", "pause");
    nodes.stream()
        .filter(n -> n != a)
        .forEach(n -> n.failpoints.arm("beforeRunJob", "pause:table=aaa"));
    TestNode.Pending j1 = other(a).submit(create("aaa"));
    awaitHeld(a, "afterVersionAlloc");
    String key = a.coordinator.ownership().term().orElseThrow().electionKey();
    etcd.txn(new TxnRequest(List.of(), List.of(new Write.Delete(key))), LONG);
    TestNode b = owner(a);
    String j2 = b.submit(create("bbb")).await();
    a.failpoints.disarm("afterVersionAlloc");
    await().atMost(LONG).until(() -> a.coordinator.running().isEmpty() || isCommitted());
    a.failpoints.disarm("beforeClearOwnerFlag");
    nodes.forEach(n -> n.failpoints.disarm("beforeRunJob"));
    return List.of(j1.await(), j2);
  }

  private TestNode owner(TestNode not) {
    await()
        .atMost(LONG)
        .until(() -> nodes.stream().anyMatch(n -> n != not && isOwner(n)));
    return nodes.stream().filter(n -> n != not && isOwner(n)).findFirst().orElseThrow();
  }

  private static boolean isOwner(TestNode node) {
    return node.coordinator.ownership().isOwner();
  }

  private TestNode other(TestNode not) {
    return nodes.stream().filter(n -> n != not).findFirst().orElseThrow();
  }

  private static void awaitHeld(TestNode node, String failpoint) {
    await().atMost(LONG).until(() -> node.failpoints.state(failpoint).waiting() == 1);
  }

  private boolean isCommitted() throws InterruptedException {
    return nodes.get(0).store.begin().get(TestNode.key("aaa")).isPresent();
  }

  private void assertKnownEverywhere() throws InterruptedException {
    for (TestNode node : nodes) {
      assertThat(node.table("aaa")).as("aaa on %s", node.id).isPresent();
      assertThat(node.table("bbb")).as("bbb on %s", node.id).isPresent();
    }
  }

  @Test
  void keepsADeposedOwnerFromCommitting() throws InterruptedException {
    assertThat(play(Modes.CORRECT)).containsExactly("ok", "ok");
    assertKnownEverywhere();
    List<SchemaDiff> diffs = new DdlReport(nodes.get(0).context).diffs();
    assertThat(diffs).extracting(SchemaDiff::term).isSorted();
    assertThat(diffs).extracting(SchemaDiff::type).containsExactly("create table", "create table");
  }

  @Test
  void losesAnAckedTableWithThePublicBehaviour() throws InterruptedException {
    assertThat(play(publicBehaviour())).containsExactly("ok", "ok");
    for (TestNode node : nodes) {
      assertThat(node.table("aaa")).as("aaa on %s", node.id).isEmpty();
      assertThat(node.table("bbb")).as("bbb on %s", node.id).isPresent();
    }
    assertThat(nodes.get(0).submit(create("aaa")).await()).startsWith("TABLE_EXISTS");
    List<SchemaDiff> diffs = new DdlReport(nodes.get(0).context).diffs();
    assertThat(diffs).extracting(SchemaDiff::version).containsExactly(1L, 2L);
    assertThat(diffs.get(0).term()).isLessThan(diffs.get(1).term());
  }

  @Test
  void healsWhenTheLoaderLooksAtHolesAgain() throws InterruptedException {
    Modes modes = publicBehaviour().schema(s -> s.with(Holes.CHECKED_AGAIN));
    assertThat(play(modes)).containsExactly("ok", "ok");
    assertKnownEverywhere();
  }

  @Test
  void healsWhenTheLoaderWaitsForHoles() throws InterruptedException {
    Modes modes = publicBehaviour().schema(s -> s.with(Holes.AWAITED));
    assertThat(play(modes)).containsExactly("ok", "ok");
    assertKnownEverywhere();
  }

  @Test
  void losesNothingWhenASuccessorSealsTheHoles() throws InterruptedException {
    Modes modes = publicBehaviour().coordinator(c -> c.with(Sealing.EMPTY_DIFFS));
    assertThat(play(modes)).containsExactly("ok", "ok");
    assertKnownEverywhere();
  }

  @Test
  void losesNothingWhenTheTermFencesTheStep() throws InterruptedException {
    Modes modes =
        publicBehaviour().coordinator(c -> c.with(CoordinatorModes.Fencing.TERM));
    assertThat(play(modes)).containsExactly("ok", "ok");
    assertKnownEverywhere();
  }

  @Test
  void losesNothingWhenVersionAndDiffAreOneTransaction() throws InterruptedException {
    Modes modes =
        publicBehaviour().coordinator(c -> c.with(CoordinatorModes.Version.WITH_THE_DIFF));
    assertThat(play(modes)).containsExactly("ok", "ok");
    assertKnownEverywhere();
  }
}
