package interregnum.coordinator;

import static interregnum.coordinator.TestNode.DB;
import static interregnum.coordinator.TestNode.column;
import static interregnum.coordinator.TestNode.create;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import interregnum.error.SqlException;
import interregnum.etcd.EtcdServer;
import interregnum.etcd.JetcdEtcd;
import interregnum.schema.SchemaView;
import interregnum.store.CommitResult;
import interregnum.store.StoreTxn;
import interregnum.table.DdlStatement;
import interregnum.table.IndexInfo;
import interregnum.table.Keys;
import interregnum.table.SchemaState;
import interregnum.table.TableInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CoordinatorTest {
  @RegisterExtension static final EtcdServer SERVER = new EtcdServer();

  private static final Duration LONG = Duration.ofSeconds(20);

  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final List<TestNode> nodes = new ArrayList<>();
  private JetcdEtcd etcd;

  @BeforeEach
  void startNodes() throws InterruptedException {
    SERVER.clear();
    etcd = SERVER.client();
    etcd.warmUp(LONG);
    for (String id : List.of("a", "b", "c")) {
      nodes.add(new TestNode(id, etcd, TestNode.Modes.CORRECT, (t, e) -> failures.add(e)).start());
    }
  }

  @AfterEach
  void closeNodes() {
    nodes.forEach(TestNode::close);
    etcd.close();
    assertThat(failures).isEmpty();
  }

  private TestNode a() {
    return nodes.get(0);
  }

  private TestNode b() {
    return nodes.get(1);
  }

  private TestNode owner() {
    await().atMost(LONG).until(() -> nodes.stream().anyMatch(n -> n.coordinator.ownership().isOwner()));
    return nodes.stream().filter(n -> n.coordinator.ownership().isOwner()).findFirst().orElseThrow();
  }

  private TestNode other() {
    TestNode owner = owner();
    return nodes.stream().filter(n -> n != owner).findFirst().orElseThrow();
  }

  private void execute(DdlStatement statement) throws InterruptedException {
    assertThat(b().submit(statement).await()).isEqualTo("ok");
  }

  @Test
  void showsAnAckedTableOnEveryNodeAtOnce() throws InterruptedException {
    for (int i = 0; i < 20; i++) {
      String name = "t" + i;
      execute(create(name));
      for (TestNode node : nodes) {
        assertThat(node.table(name)).as("%s on %s", name, node.id).isPresent();
      }
      if (i % 2 == 0) {
        execute(new DdlStatement.DropTable(DB, name, false));
        for (TestNode node : nodes) {
          assertThat(node.table(name)).as("%s on %s", name, node.id).isEmpty();
        }
      }
    }
    assertThat(a().coordinator.jobs()).isEmpty();
    assertThat(a().coordinator.history(0))
        .hasSize(30)
        .allMatch(job -> job.progress().state() == JobState.SYNCED);
  }

  @Test
  void refusesWhatCannotBeDoneAndNamesTheObject() throws InterruptedException {
    execute(create("t"));
    String exists = a().submit(create("t")).await();
    assertThat(exists).isEqualTo("TABLE_EXISTS: Table 'test.t' already exists");
    assertThat(a().submit(new DdlStatement.DropTable(DB, "x", false)).await())
        .isEqualTo("UNKNOWN_TABLE: Unknown table 'test.x'");
    assertThat(a().submit(new DdlStatement.DropTable(DB, "x", true)).await()).isEqualTo("ok");
    assertThat(a().submit(new DdlStatement.AddColumn(DB, "t", column(0, "v"))).await())
        .isEqualTo("DUP_COLUMN: Duplicate column name 'v'");
    assertThat(a().submit(new DdlStatement.DropIndex(DB, "t", "i")).await())
        .isEqualTo("NOTHING_TO_DROP: Can't DROP 'i'; check that column/key exists");
    assertThat(a().coordinator.jobs()).isEmpty();
  }

  @Test
  void renamesAndTruncates() throws InterruptedException {
    execute(create("t"));
    assertThat(a().insert("t", 1, 5, 10)).isInstanceOf(CommitResult.Committed.class);
    long id = a().table("t").orElseThrow().id();
    execute(new DdlStatement.RenameTable(DB, "t", DB, "u"));
    assertThat(a().table("t")).isEmpty();
    assertThat(a().table("u").orElseThrow().id()).isEqualTo(id);
    execute(new DdlStatement.TruncateTable(DB, "u"));
    assertThat(a().table("u").orElseThrow().id()).isNotEqualTo(id);
    await().atMost(LONG).until(() -> count(a(), Keys.rowPrefix(id)) == 0);
  }

  private static int count(TestNode node, String prefix) throws InterruptedException {
    return node.store.begin().scan(prefix, Keys.end(prefix), 0).size();
  }

  @Test
  void addsAndDropsColumns() throws InterruptedException {
    execute(create("t"));
    execute(new DdlStatement.AddColumn(DB, "t", column(0, "w")));
    TableInfo table = a().table("t").orElseThrow();
    assertThat(table.column("w").orElseThrow().id()).isEqualTo(3);
    execute(new DdlStatement.DropColumn(DB, "t", "w"));
    assertThat(a().table("t").orElseThrow().columns()).hasSize(2);
    assertThat(a().submit(new DdlStatement.DropColumn(DB, "t", "id")).await())
        .startsWith("NOT_SUPPORTED");
  }

  @Test
  void fillsAnIndexWhileRowsAreWritten() throws InterruptedException {
    execute(create("t"));
    int rows = 5_000;
    for (int first = 0; first < rows; first += 1_000) {
      a().insert("t", first, 1_000, first);
    }
    TestNode.Pending adding =
        b().submit(new DdlStatement.AddIndex(DB, "t", "i", List.of("v"), true));
    int more = 0;
    while (adding.end().get().isEmpty()) {
      assertThat(a().insert("t", rows + more, 1, rows + more))
          .isInstanceOf(CommitResult.Committed.class);
      more++;
    }
    assertThat(adding.await()).isEqualTo("ok");
    TableInfo table = a().table("t").orElseThrow();
    IndexInfo index = table.index("i").orElseThrow();
    assertThat(index.state()).isEqualTo(SchemaState.PUBLIC);
    assertThat(count(a(), Keys.indexPrefix(table.id(), index.id()))).isEqualTo(rows + more);
    execute(new DdlStatement.DropIndex(DB, "t", "i"));
    await()
        .atMost(LONG)
        .until(() -> count(a(), Keys.indexPrefix(table.id(), index.id())) == 0);
  }

  @Test
  void rollsAUniqueIndexBackWhenRowsHaveTheSameValue() throws InterruptedException {
    execute(create("t"));
    a().insert("t", 1, 10, 100);
    a().insert("t", 50, 1, 105);
    assertThat(
            b().submit(new DdlStatement.AddIndex(DB, "t", "i", List.of("v"), true)).await())
        .isEqualTo("DUP_KEY: Duplicate entry '105' for key 't.i'");
    assertThat(a().table("t").orElseThrow().indexes()).isEmpty();
    assertThat(a().coordinator.history(1).get(0).progress().state())
        .isEqualTo(JobState.ROLLED_BACK);
  }

  @Test
  void cancelsPausesAndResumesJobs() throws InterruptedException {
    execute(create("t"));
    TestNode owner = owner();
    owner.failpoints.arm("beforePublish", "1*pause");
    TestNode.Pending adding =
        b().submit(new DdlStatement.AddIndex(DB, "t", "i", List.of("v"), false));
    await().atMost(LONG).until(() -> owner.failpoints.state("beforePublish").waiting() == 1);
    long jobId = a().coordinator.jobs().get(0).id();
    a().coordinator.pause(jobId);
    owner.failpoints.disarm("beforePublish");
    await().atMost(LONG).until(() -> owner.coordinator.running().isEmpty());
    assertThat(adding.end().get()).isEmpty();
    a().coordinator.resume(jobId);
    owner.failpoints.arm("beforeRunJob", "pause");
    await().atMost(LONG).until(() -> owner.failpoints.state("beforeRunJob").waiting() == 1);
    a().coordinator.cancel(jobId);
    owner.failpoints.disarm("beforeRunJob");
    assertThat(adding.await()).isEqualTo("DDL_CANCELLED: Cancelled DDL job");
    assertThat(a().table("t").orElseThrow().indexes()).isEmpty();
    assertThatThrownBy(() -> a().coordinator.cancel(jobId))
        .isInstanceOf(SqlException.class)
        .hasMessage("DDL Job:%d not found", jobId);
  }

  @Test
  void waitsForTransactionsThatUseTheOlderDefinition() throws InterruptedException {
    execute(create("t"));
    StoreTxn txn = a().store.begin();
    SchemaView view = a().schema.view(txn);
    TableInfo table = view.table(DB, "t").orElseThrow();
    TestNode.Pending adding =
        b().submit(new DdlStatement.AddColumn(DB, "t", column(0, "w")));
    await()
        .atMost(LONG)
        .until(() -> a().schema.status().latest().orElseThrow().table(DB, "t").orElseThrow()
            .columns().size() == 3);
    assertThat(adding.end().get()).isEmpty();
    txn.put(Keys.row(table.id(), "k"), "{}");
    view.beforeCommit();
    assertThat(txn.commit()).isInstanceOf(CommitResult.Committed.class);
    assertThat(adding.end().get()).isEmpty();
    view.close();
    assertThat(adding.await()).isEqualTo("ok");
  }

  @Test
  void refusesToUseWhatItKnowsWithoutASession() throws InterruptedException {
    execute(create("t"));
    TestNode cut = other();
    cut.failpoints.arm("dropKeepAlive", "pause:role=node");
    StoreTxn txn = cut.store.begin();
    try (SchemaView view = cut.schema.view(txn)) {
      TableInfo table = view.table(DB, "t").orElseThrow();
      txn.put(Keys.row(table.id(), "k"), "{}");
      await().atMost(LONG).until(() -> !cut.schema.status().serving());
      assertThatThrownBy(view::beforeCommit).hasMessage("Information schema is out of date");
    }
    assertThatThrownBy(() -> cut.table("t")).hasMessage("Information schema is out of date");
    assertThat(owner().submit(create("u")).await()).isEqualTo("ok");
    cut.failpoints.disarm("dropKeepAlive");
    await().atMost(LONG).until(() -> cut.schema.status().serving());
    assertThat(cut.table("u")).isPresent();
  }

  @Test
  void carriesAJobOnWhereThePredecessorLeftIt() throws InterruptedException {
    execute(create("t"));
    TestNode first = owner();
    first.failpoints.arm("afterStepCommit", "pause:table=t");
    TestNode.Pending adding =
        b().submit(new DdlStatement.AddIndex(DB, "t", "i", List.of("v"), false));
    await().atMost(LONG).until(() -> first.failpoints.state("afterStepCommit").waiting() == 1);
    first.coordinator.ownership().resign();
    await().atMost(LONG).until(() -> owner() != first);
    assertThat(adding.await()).isEqualTo("ok");
    assertThat(a().coordinator.history(1).get(0).progress().state()).isEqualTo(JobState.SYNCED);
    assertThat(a().store.begin().scan("/interregnum/ddl/mdl/", "/interregnum/ddl/mdl0", 0))
        .isEmpty();
  }
}
