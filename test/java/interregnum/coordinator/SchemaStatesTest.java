package interregnum.coordinator;

import static interregnum.coordinator.TestNode.DB;
import static interregnum.coordinator.TestNode.column;
import static interregnum.coordinator.TestNode.create;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import interregnum.etcd.EtcdServer;
import interregnum.schema.SchemaDiff;
import interregnum.table.DdlStatement;
import interregnum.table.TableInfo;
import interregnum.table.TableJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The states that each kind of change goes through: one step, one version, all nodes each time. */
class SchemaStatesTest {
  @RegisterExtension static final EtcdServer SERVER = new EtcdServer();

  @RegisterExtension final TestCluster cluster = new TestCluster(SERVER);

  private static final Duration LONG = TestCluster.LONG;
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final String HELD = "beforeReload";

  private TestNode owner;

  /**
   * Carries a change out while a node other than the owner does not load anything at each step, and
   * checks that no step comes before that node has loaded the last one. What {@code look} finds in
   * the definition stored under {@code name} after each step, "none" if there is none.
   */
  private List<String> statesOf(
      DdlStatement change, String name, Function<TableInfo, String> look)
      throws InterruptedException {
    TestNode slow = cluster.other(owner);
    List<String> states = new ArrayList<>();
    long before = new DdlReport(owner.context).version();
    slow.failpoints.arm(HELD, "pause");
    TestNode.Pending pending = owner.submit(change);
    while (true) {
      long known = before + states.size();
      await().atMost(LONG).until(() -> isOver(pending) || version() > known);
      if (isOver(pending)) {
        break;
      }
      TestCluster.awaitHeld(slow, HELD);
      owner.runtime.sleep(SHORT);
      assertThat(version()).as("version while %s is behind", slow.id).isEqualTo(known + 1);
      Optional<String> json = owner.store.begin().get(TestNode.key(name));
      states.add(json.map(TableJson::read).map(look).orElse("none"));
      slow.failpoints.arm(HELD, "pause");
    }
    slow.failpoints.disarm(HELD);
    assertThat(pending.await()).isEqualTo("ok");
    List<SchemaDiff> diffs = new DdlReport(owner.context).diffs();
    assertThat(diffs).hasSize((int) before + states.size());
    long job = owner.coordinator.history(1).get(0).id();
    assertThat(diffs.subList((int) before, diffs.size())).allMatch(d -> d.jobId() == job);
    return states;
  }

  private static boolean isOver(TestNode.Pending pending) {
    return !pending.end().get().isEmpty();
  }

  private long version() throws InterruptedException {
    return new DdlReport(owner.context).version();
  }

  private static String columnState(TableInfo table) {
    return table.columns().stream()
        .filter(c -> c.isNamed("w"))
        .findFirst()
        .map(c -> c.state().id())
        .orElse("none");
  }

  private static String indexState(TableInfo table) {
    return table.index("i").map(i -> i.state().id()).orElse("none");
  }

  @Test
  void takesTablesThroughTheirStates() throws InterruptedException {
    owner = cluster.start();
    assertThat(statesOf(create("u"), "u", t -> t.state().id())).containsExactly("public");
    long id = owner.table("u").orElseThrow().id();
    assertThat(
            statesOf(
                new DdlStatement.TruncateTable(DB, "u"), "u", t -> t.id() == id ? "old" : "new"))
        .containsExactly("new");
    assertThat(
            statesOf(
                new DdlStatement.RenameTable(DB, "u", DB, "w"), "w", t -> t.state().id()))
        .containsExactly("public");
    assertThat(
            statesOf(new DdlStatement.DropTable(DB, "w", false), "w", t -> t.state().id()))
        .containsExactly("write-only", "delete-only", "none");
    assertThat(owner.coordinator.history(1).get(0).progress().schemaState().id())
        .isEqualTo("absent");
  }

  @Test
  void takesColumnsAndIndexesThroughTheirStates() throws InterruptedException {
    owner = cluster.start();
    assertThat(
            statesOf(
                new DdlStatement.AddColumn(DB, "t", column(0, "w")),
                "t",
                SchemaStatesTest::columnState))
        .containsExactly("delete-only", "write-only", "public");
    assertThat(
            statesOf(
                new DdlStatement.AddIndex(DB, "t", "i", List.of("v"), false),
                "t",
                SchemaStatesTest::indexState))
        .containsExactly("delete-only", "write-only", "reorganising", "public");
    assertThat(
            statesOf(
                new DdlStatement.DropIndex(DB, "t", "i"), "t", SchemaStatesTest::indexState))
        .containsExactly("write-only", "delete-only", "none");
    assertThat(
            statesOf(
                new DdlStatement.DropColumn(DB, "t", "w"), "t", SchemaStatesTest::columnState))
        .containsExactly("write-only", "delete-only", "none");
  }

  @Test
  void hidesATableFromTheFirstStepOfItsDrop() throws InterruptedException {
    owner = cluster.start();
    owner.failpoints.arm("beforeCleanMdl", "1*pause:table=t");
    TestNode.Pending dropping = owner.submit(new DdlStatement.DropTable(DB, "t", false));
    TestCluster.awaitHeld(owner, "beforeCleanMdl");
    for (TestNode node : cluster.nodes()) {
      assertThat(node.sql("select * from t")).isEqualTo("1146: Table 'test.t' doesn't exist");
      assertThat(node.sql("show tables")).isEmpty();
      assertThat(node.sql("alter table t auto_increment = 9")).startsWith("1146: ");
    }
    TestNode.Pending again = cluster.other(owner).submit(create("t"));
    again.task().join(SHORT);
    assertThat(isOver(again)).isFalse();
    owner.failpoints.disarm("beforeCleanMdl");
    assertThat(dropping.await()).isEqualTo("ok");
    assertThat(again.await()).isEqualTo("ok");
  }

  @Test
  void dropsATableAcrossAChangeOfTheOwner() throws InterruptedException {
    owner = cluster.start();
    assertThat(owner.sql("insert into t values (1, 1)")).isEqualTo("ok");
    owner.failpoints.arm("afterStepCommit", "pause:table=t");
    TestNode.Pending dropping =
        cluster.other(owner).submit(new DdlStatement.DropTable(DB, "t", false));
    TestCluster.awaitHeld(owner, "afterStepCommit");
    owner.coordinator.ownership().resign();
    assertThat(dropping.await()).isEqualTo("ok");
    assertThat(owner.store.begin().get(TestNode.key("t"))).isEmpty();
    assertThat(owner.sql("select * from t")).startsWith("1146: ");
  }
}
