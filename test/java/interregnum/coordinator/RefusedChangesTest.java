package interregnum.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import interregnum.etcd.EtcdServer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Schema changes that cannot be done: the error, what it names, and that nothing is left of them. */
class RefusedChangesTest {
  @RegisterExtension static final EtcdServer SERVER = new EtcdServer();

  @RegisterExtension final TestCluster cluster = new TestCluster(SERVER);

  private static final String LONG_NAME = "n".repeat(65);

  private TestNode node;

  private void startWithTables() throws InterruptedException {
    node = cluster.node("a").start();
    cluster.owner();
    for (String statement :
        List.of(
            "create table t (id int primary key, v int, key i (v))",
            "create table o (id int primary key)",
            "create table n (a int)")) {
      assertThat(node.sql(statement)).isEqualTo("ok");
    }
  }

  /** Each statement must be answered so, and must leave no job and no other definitions. */
  private void assertRefused(Map<String, String> answers) throws InterruptedException {
    String hash = node.schema.status().latest().orElseThrow().stateHash();
    for (Map.Entry<String, String> each : answers.entrySet()) {
      assertThat(node.sql(each.getKey())).as(each.getKey()).isEqualTo(each.getValue());
      assertThat(node.coordinator.jobs()).as(each.getKey()).isEmpty();
    }
    assertThat(node.schema.status().latest().orElseThrow().stateHash()).isEqualTo(hash);
    assertThat(node.coordinator.history(0))
        .filteredOn(job -> job.id() > 6)
        .allMatch(job -> job.progress().state() == JobState.CANCELLED && job.error().isPresent());
  }

  @Test
  void refusesWhatIsMissingOrThere() throws InterruptedException {
    startWithTables();
    Map<String, String> answers = new TreeMap<>();
    answers.put("create table t (a int)", "1050: Table 'test.t' already exists");
    answers.put("drop table x", "1051: Unknown table 'test.x'");
    answers.put("truncate x", "1146: Table 'test.x' doesn't exist");
    answers.put("rename table x to y", "1146: Table 'test.x' doesn't exist");
    answers.put("rename table t to o", "1050: Table 'test.o' already exists");
    answers.put("alter table x add w int", "1146: Table 'test.x' doesn't exist");
    answers.put("alter table x auto_increment = 5", "1146: Table 'test.x' doesn't exist");
    answers.put("alter table x drop column w", "1146: Table 'test.x' doesn't exist");
    answers.put("alter table t add V int", "1060: Duplicate column name 'V'");
    answers.put(
        "alter table t drop column z", "1091: Can't DROP 'z'; check that column/key exists");
    answers.put(
        "alter table n drop column a", "1090: You can't delete all columns with ALTER TABLE");
    answers.put("create index I on t (v)", "1061: Duplicate key name 'I'");
    answers.put("create index j on t (z)", "1072: Key column 'z' doesn't exist in table");
    answers.put("create index j on t (v, V)", "1060: Duplicate column name 'V'");
    answers.put("create index j on x (v)", "1146: Table 'test.x' doesn't exist");
    answers.put("drop index z on t", "1091: Can't DROP 'z'; check that column/key exists");
    answers.put("drop index z on x", "1146: Table 'test.x' doesn't exist");
    answers.put("create table nodb.t (a int)", "1049: Unknown database 'nodb'");
    answers.put("drop table nodb.t", "1049: Unknown database 'nodb'");
    assertRefused(answers);
  }

  @Test
  void refusesDefinitionsThatMakeNoSense() throws InterruptedException {
    startWithTables();
    Map<String, String> answers = new TreeMap<>();
    answers.put("create table d (a int, A int)", "1060: Duplicate column name 'A'");
    answers.put("create table d (a int, key k (a), key K (a))", "1061: Duplicate key name 'K'");
    answers.put(
        "create table d (a int, key k (z))", "1072: Key column 'z' doesn't exist in table");
    answers.put("create table d (a int, key k (a, a))", "1060: Duplicate column name 'a'");
    answers.put("create table d (a int, primary key (a, a))", "1060: Duplicate column name 'a'");
    answers.put(
        "create table d (a int primary key, b int primary key)",
        "1068: Multiple primary key defined");
    answers.put(
        "create table d (a varchar(99999))",
        "1074: Column length too big for column 'a' (max = 16383); use BLOB or TEXT instead");
    answers.put("create table d (a int default 'x')", "1067: Invalid default value for 'a'");
    answers.put(
        "create table d (a int not null default null)", "1067: Invalid default value for 'a'");
    answers.put("alter table t add w int default 'x'", "1067: Invalid default value for 'w'");
    answers.put(
        "create table d (a double auto_increment primary key)",
        "1063: Incorrect column specifier for column 'a'");
    answers.put(
        "alter table t add w int auto_increment",
        "1075: Incorrect table definition; the auto column 'w' must be defined as a key");
    String tooLong = "1059: Identifier name '" + LONG_NAME + "' is too long";
    answers.put("create table " + LONG_NAME + " (a int)", tooLong);
    answers.put("create table d (" + LONG_NAME + " int)", tooLong);
    answers.put("create table d (a int, key " + LONG_NAME + " (a))", tooLong);
    answers.put("create index " + LONG_NAME + " on t (v)", tooLong);
    answers.put("alter table t add " + LONG_NAME + " int", tooLong);
    answers.put("rename table t to " + LONG_NAME, tooLong);
    assertRefused(answers);
  }

  @Test
  void refusesWhatItDoesNotKnow() throws InterruptedException {
    startWithTables();
    Map<String, String> answers = new TreeMap<>();
    answers.put(
        "create table d (a wibble)",
        "1064: You have an error in your SQL syntax; check the manual for the right syntax to use"
            + " near 'wibble)'");
    Map<String, String> unsupported = new TreeMap<>();
    unsupported.put("create table d (a json)", "json");
    unsupported.put("create table d (a decimal(10, 2))", "decimal");
    unsupported.put("create view w as select 1", "CREATE view");
    unsupported.put("create table d like t", "CREATE TABLE ... like");
    unsupported.put(
        "create table d (a int) partition by hash (a)", "CREATE TABLE ... PARTITION");
    unsupported.put("create table d (a int, foreign key (a) references t (id))", "foreign");
    unsupported.put("drop database test", "DROP database");
    unsupported.put("alter table t modify v bigint", "ALTER TABLE ... modify");
    unsupported.put("alter table t rename column v to w", "ALTER TABLE ... RENAME column");
    unsupported.put("alter table t add primary key (v)", "ALTER TABLE ... ADD primary");
    unsupported.put("alter table t drop primary key", "ALTER TABLE ... DROP primary");
    unsupported.put(
        "alter table t drop column v", "dropping column v, which an index covers");
    unsupported.forEach(
        (statement, what) ->
            answers.put(statement, "1235: This version doesn't yet support '" + what + "'"));
    assertRefused(answers);
  }

  @Test
  void tellsOfEachJobThatItCannotTouch() throws InterruptedException {
    startWithTables();
    Map<String, String> answers = new TreeMap<>();
    for (String verb : List.of("cancel", "pause", "resume")) {
      answers.put(
          "admin " + verb + " ddl jobs 999", "[999, error: [8224] DDL Job:999 not found]");
    }
    assertRefused(answers);
    node.failpoints.arm("beforeRunJob", "pause:table=q");
    TestNode.Pending creating = node.submit(TestNode.create("q"));
    TestCluster.awaitHeld(node, "beforeRunJob");
    long job = node.coordinator.jobs().get(0).id();
    assertThat(node.sql("admin resume ddl jobs " + job))
        .isEqualTo("[" + job + ", error: [8225] This job:" + job + " is not paused]");
    assertThat(node.sql("admin cancel ddl jobs " + job)).isEqualTo("[" + job + ", successful]");
    node.failpoints.disarm("beforeRunJob");
    assertThat(creating.await()).isEqualTo("DDL_CANCELLED: Cancelled DDL job");
    assertThat(node.coordinator.jobs()).isEmpty();
    assertThat(node.sql("select * from q")).isEqualTo("1146: Table 'test.q' doesn't exist");
  }

  @Test
  void fillsNewColumnsOfOldRows() throws InterruptedException {
    startWithTables();
    assertThat(node.sql("insert into t values (1, 1)")).isEqualTo("ok");
    assertThat(
            node.sql(
                "alter table t add a int not null, add b varchar(9) not null, add c double,"
                    + " add d int default 7"))
        .isEqualTo("ok");
    assertThat(node.sql("select a, b, c, d from t")).isEqualTo("[0, , null, 7]");
    assertThat(node.sql("update t set v = 2")).isEqualTo("ok");
    assertThat(node.sql("select a, b, c, d from t")).isEqualTo("[0, , null, 7]");
  }
}
