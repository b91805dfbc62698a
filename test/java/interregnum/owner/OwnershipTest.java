package interregnum.owner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import interregnum.etcd.EtcdServer;
import interregnum.etcd.JetcdEtcd;
import interregnum.etcd.KeyRange;
import interregnum.etcd.KeyValue;
import interregnum.etcd.Read;
import interregnum.etcd.TxnRequest;
import interregnum.etcd.TxnRequest.Write;
import interregnum.failpoint.Failpoints;
import interregnum.owner.OwnerModes.Become;
import interregnum.owner.OwnerModes.HandOver;
import interregnum.owner.OwnerModes.LeaseCheck;
import interregnum.runtime.Outcome;
import interregnum.runtime.SystemRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OwnershipTest {
  @RegisterExtension static final EtcdServer SERVER = new EtcdServer();

  private static final Duration TTL = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofSeconds(15);

  private static JetcdEtcd etcd;

  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final SystemRuntime runtime = new SystemRuntime(1, (task, cause) -> failures.add(cause));
  private final OwnerDirectory directory = new OwnerDirectory(etcd);
  private final List<Node> nodes = new ArrayList<>();

  @BeforeAll
  static void connect() throws InterruptedException {
    etcd = SERVER.client();
    etcd.warmUp(LONG);
  }

  @AfterAll
  static void disconnect() {
    etcd.close();
  }

  @BeforeEach
  void clear() {
    SERVER.clear();
  }

  @AfterEach
  void closeNodes() {
    for (Node node : nodes) {
      node.failpoints.armed().forEach(point -> node.failpoints.disarm(point.name()));
      node.ownership.close();
    }
    assertThat(failures).isEmpty();
  }

  /** A candidate that notes its listener's calls. */
  private final class Node implements OwnerListener {
    private final String id;
    private final Failpoints failpoints = new Failpoints(runtime, () -> {});
    private final ConcurrentLinkedQueue<String> calls = new ConcurrentLinkedQueue<>();
    private final Ownership ownership;

    Node(String id, OwnerRole role, OwnerModes modes) {
      this.id = id;
      OwnerConfig config = new OwnerConfig(role, id, id + ":1", TTL, modes);
      ownership = new Ownership(runtime, etcd, failpoints, config, this);
      ownership.start();
      nodes.add(this);
    }

    @Override
    public void onBecomeOwner(Term term) {
      calls.add("become, flag " + ownership.isOwner());
    }

    @Override
    public void onRetireOwner(Term term) {
      calls.add("retire, flag " + ownership.isOwner());
    }

    Term awaitTerm() {
      await(id + " reigns").atMost(LONG).until(() -> ownership.term().isPresent());
      return ownership.term().orElseThrow();
    }

    void awaitHeld(String failpoint) {
      await().atMost(LONG).until(() -> failpoints.state(failpoint).waiting() == 1);
    }
  }

  private Node node(String id, OwnerRole role) {
    return new Node(id, role, OwnerModes.CORRECT);
  }

  private static void delete(String key) throws InterruptedException {
    TxnRequest request = new TxnRequest(List.of(), List.of(new Write.Delete(key)));
    assertThat(etcd.txn(request, LONG)).isInstanceOf(Outcome.Done.class);
  }

  private Leader leader(OwnerRole role) throws InterruptedException {
    Outcome<Optional<Leader>> outcome = directory.leader(role, LONG);
    return ((Outcome.Done<Optional<Leader>>) outcome).value().orElseThrow();
  }

  @Test
  void passesARoleFromNodeToNodeAndBackWithGrowingTerms() throws InterruptedException {
    Node a = node("a", OwnerRole.AUTOID);
    Term first = a.awaitTerm();
    assertThat(leader(OwnerRole.AUTOID)).isEqualTo(new Leader("a", "a:1", first.number()));
    Node b = node("b", OwnerRole.AUTOID);
    await().atMost(LONG).until(() -> queueLength(OwnerRole.AUTOID) == 2);
    assertThat(b.ownership.resign()).isEqualTo(Outcome.done(false));
    assertThat(a.ownership.resign()).isEqualTo(Outcome.done(true));
    assertThat(a.ownership.isOwner()).isFalse();
    Term second = b.awaitTerm();
    await().atMost(LONG).until(() -> queueLength(OwnerRole.AUTOID) == 2);
    b.ownership.resign();
    Term third = a.awaitTerm();
    assertThat(List.of(first.number(), second.number(), third.number())).isSorted();
    assertThat(third.number()).isGreaterThan(second.number());
    assertThat(a.calls)
        .containsExactly("become, flag false", "retire, flag false", "become, flag false");
  }

  private static int queueLength(OwnerRole role) throws InterruptedException {
    return ((Outcome.Done<Read<List<KeyValue>>>)
            etcd.range(KeyRange.prefix(role.prefix()), LONG))
        .value()
        .value()
        .size();
  }

  @Test
  void endsAReignAtItsOwnDeadlineBeforeASuccessorBegins() {
    Node a = node("a", OwnerRole.DDL);
    a.awaitTerm();
    Node b = node("b", OwnerRole.DDL);
    a.failpoints.arm("dropKeepAlive", "pause");
    a.failpoints.arm("beforeClearOwnerFlag", "pause");
    await().atMost(LONG).until(() -> a.ownership.term().isEmpty());
    assertThat(b.ownership.isOwner()).isFalse();
    assertThat(a.ownership.isOwner()).isTrue();
    b.awaitTerm();
    assertThat(a.ownership.term()).isEmpty();
  }

  @Test
  void keepsServingPastItsDeadlineWithoutTheLeaseCheck() {
    Node a = new Node("a", OwnerRole.DDL, OwnerModes.CORRECT.with(LeaseCheck.NONE));
    a.awaitTerm();
    Node b = node("b", OwnerRole.DDL);
    a.failpoints.arm("dropKeepAlive", "pause");
    a.failpoints.arm("onWatchDelete", "pause");
    b.awaitTerm();
    assertThat(a.ownership.term()).isPresent();
  }

  @Test
  void retiresWhenItsKeyIsDeletedBehindItsBack() throws InterruptedException {
    Node a = node("a", OwnerRole.DDL);
    Term term = a.awaitTerm();
    Node b = node("b", OwnerRole.DDL);
    await().atMost(LONG).until(() -> queueLength(OwnerRole.DDL) == 2);
    delete(term.electionKey());
    b.awaitTerm();
    await().atMost(LONG).until(() -> a.calls.contains("retire, flag false"));
    assertThat(a.ownership.isOwner()).isFalse();
  }

  @Test
  void seesADeletionBetweenTheWinAndTheWatch() throws InterruptedException {
    Term term = deletedBeforeTheWatch(OwnerModes.CORRECT);
    Node a = nodes.get(0);
    await().atMost(LONG).until(() -> a.calls.contains("retire, flag false"));
    assertThat(a.awaitTerm().number()).isGreaterThan(term.number());
  }

  @Test
  void missesThatDeletionWhenItWatchesFromNow() throws InterruptedException {
    Term term = deletedBeforeTheWatch(OwnerModes.CORRECT.with(OwnerModes.Watch.FROM_NOW));
    Node a = nodes.get(0);
    node("b", OwnerRole.DDL).awaitTerm();
    runtime.sleep(TTL);
    assertThat(a.ownership.term()).contains(term);
  }

  private Term deletedBeforeTheWatch(OwnerModes modes) throws InterruptedException {
    Node a = new Node("a", OwnerRole.DDL, modes);
    a.failpoints.arm("betweenVerifyAndWatch", "pause");
    a.awaitHeld("betweenVerifyAndWatch");
    Term term = a.awaitTerm();
    delete(term.electionKey());
    a.failpoints.disarm("betweenVerifyAndWatch");
    return term;
  }

  @Test
  void awaitsAPredecessorThatDoesNotKnowOfItsDeletion() throws InterruptedException {
    Node a = node("a", OwnerRole.AUTOID);
    Term term = a.awaitTerm();
    a.failpoints.arm("onWatchDelete", "pause");
    delete(term.electionKey());
    a.awaitHeld("onWatchDelete");
    Node b = node("b", OwnerRole.AUTOID);
    await().atMost(LONG).until(() -> leader(OwnerRole.AUTOID).id().equals("b"));
    runtime.sleep(TTL);
    assertThat(a.ownership.term()).contains(term);
    assertThat(b.ownership.isOwner()).isFalse();
    a.failpoints.disarm("onWatchDelete");
    b.awaitTerm();
    assertThat(a.ownership.isOwner()).isFalse();
  }

  @Test
  void doesNotAwaitItsPredecessorWithoutTheHandOver() throws InterruptedException {
    Node a = new Node("a", OwnerRole.AUTOID, OwnerModes.CORRECT.with(HandOver.NONE));
    Term term = a.awaitTerm();
    a.failpoints.arm("onWatchDelete", "pause");
    delete(term.electionKey());
    new Node("b", OwnerRole.AUTOID, OwnerModes.CORRECT.with(HandOver.NONE)).awaitTerm();
    assertThat(a.ownership.term()).contains(term);
  }

  @Test
  void showsTheFlagBeforeTheListenerOnlyInThatMode() {
    new Node("a", OwnerRole.DDL, OwnerModes.CORRECT.with(Become.FLAG_FIRST)).awaitTerm();
    await().atMost(LONG).until(() -> nodes.get(0).calls.contains("become, flag true"));
  }

  @Test
  void succeedsADeadProcessOfTheSameAddressWithoutWaitingForItsLease()
      throws InterruptedException {
    Node earlier = node("a", OwnerRole.AUTOID);
    earlier.awaitTerm();
    earlier.failpoints.arm("onWatchDelete", "pause");
    long start = runtime.nanoTime();
    Node later = node("a", OwnerRole.AUTOID);
    later.awaitTerm();
    assertThat(Duration.ofNanos(runtime.nanoTime() - start)).isLessThan(TTL);
  }

  @Test
  void survivesASilentServerAndReignsAgain() {
    Node a = node("a", OwnerRole.DDL);
    Term before = a.awaitTerm();
    SERVER.pause();
    try {
      await().atMost(LONG).until(() -> a.ownership.term().isEmpty());
      await().atMost(LONG).until(() -> a.calls.contains("retire, flag false"));
    } finally {
      SERVER.resume();
    }
    assertThat(a.awaitTerm().number()).isGreaterThan(before.number());
  }

  @Test
  void leavesNoKeysBehindWhenClosed() throws InterruptedException {
    Node a = node("a", OwnerRole.AUTOID);
    a.awaitTerm();
    a.ownership.close();
    assertThat(a.calls).containsExactly("become, flag false", "retire, flag false");
    assertThat(queueLength(OwnerRole.AUTOID)).isZero();
    assertThat(etcd.get(OwnerRole.AUTOID.handOverKey(), LONG).toString()).contains("empty");
  }

  @Test
  void handsAThrowableOfTheListenerToTheFailureHandler() {
    OwnerListener broken =
        new OwnerListener() {
          @Override
          public void onBecomeOwner(Term term) {
            throw new IllegalStateException("broken listener");
          }

          @Override
          public void onRetireOwner(Term term) {}
        };
    OwnerConfig config = new OwnerConfig(OwnerRole.DDL, "a", "a:1", TTL, OwnerModes.CORRECT);
    Failpoints failpoints = new Failpoints(runtime, () -> {});
    try (Ownership ownership = new Ownership(runtime, etcd, failpoints, config, broken)) {
      ownership.start();
      await().atMost(LONG).until(() -> !failures.isEmpty());
      assertThat(failures.poll()).hasMessage("broken listener");
    }
  }
}
