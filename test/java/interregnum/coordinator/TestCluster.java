package interregnum.coordinator;

import static interregnum.coordinator.TestNode.create;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import interregnum.defect.Defects;
import interregnum.defect.Modes;
import interregnum.etcd.EtcdServer;
import interregnum.etcd.JetcdEtcd;
import interregnum.etcd.KeyValue;
import interregnum.etcd.Read;
import interregnum.etcd.TxnRequest;
import interregnum.etcd.TxnRequest.Write;
import interregnum.runtime.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The nodes of one test, on the class's etcd; closes them, and fails if one of them failed. */
final class TestCluster implements BeforeEachCallback, AfterEachCallback {
  static final Duration LONG = Duration.ofSeconds(30);

  private final EtcdServer server;
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final List<TestNode> nodes = new ArrayList<>();
  private JetcdEtcd etcd;

  TestCluster(EtcdServer server) {
    this.server = server;
  }

  @Override
  public void beforeEach(ExtensionContext context) throws InterruptedException {
    server.clear();
    etcd = server.client();
    etcd.warmUp(LONG);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    nodes.forEach(TestNode::close);
    nodes.clear();
    etcd.close();
    assertThat(failures).isEmpty();
  }

  List<TestNode> nodes() {
    return nodes;
  }

  /** A node with these defects, to be started by the caller. */
  TestNode node(String id, String... defects) {
    Modes modes = Defects.modes(List.of(defects));
    TestNode.Modes parts =
        new TestNode.Modes(modes.ddlOwner(), modes.schema(), modes.coordinator());
    TestNode node = new TestNode(id, etcd, parts, (task, cause) -> failures.add(cause));
    nodes.add(node);
    return node;
  }

  /** Starts nodes a, b and c, which know a table {@code t}; gives the owner. */
  TestNode start(String... defects) throws InterruptedException {
    for (String id : List.of("a", "b", "c")) {
      node(id, defects).start();
    }
    TestNode owner = owner();
    assertThat(owner.submit(create("t")).await()).isEqualTo("ok");
    return owner;
  }

  /** The node that reigns by its own account, other than {@code not}. */
  TestNode owner(TestNode... not) {
    await().atMost(LONG).until(() -> nodes.stream().anyMatch(n -> reigns(n, not)));
    return nodes.stream().filter(n -> reigns(n, not)).findFirst().orElseThrow();
  }

  private static boolean reigns(TestNode node, TestNode... not) {
    return node.coordinator.ownership().isOwner() && !List.of(not).contains(node);
  }

  TestNode other(TestNode... not) {
    return nodes.stream().filter(n -> !List.of(not).contains(n)).findFirst().orElseThrow();
  }

  /** Deletes a node's election key behind its back. */
  void depose(TestNode node) throws InterruptedException {
    String key = node.coordinator.ownership().term().orElseThrow().electionKey();
    TxnRequest request = new TxnRequest(List.of(), List.of(new Write.Delete(key)));
    assertThat(etcd.txn(request, LONG)).isInstanceOf(Outcome.Done.class);
  }

  /** The revision at which the key was last written. */
  long modRevision(String key) throws InterruptedException {
    if (etcd.get(key, LONG) instanceof Outcome.Done<Read<Optional<KeyValue>>> done) {
      return done.value().value().orElseThrow().modRevision();
    }
    throw new IllegalStateException("no answer from etcd");
  }

  static void awaitHeld(TestNode node, String failpoint) {
    await().atMost(LONG).until(() -> node.failpoints.state(failpoint).waiting() > 0);
  }
}
