package interregnum.coordinator;

import static interregnum.coordinator.TestCluster.awaitHeld;
import static interregnum.coordinator.TestNode.DB;
import static org.assertj.core.api.Assertions.assertThat;

import interregnum.etcd.EtcdServer;
import interregnum.runtime.Task;
import interregnum.store.CommitResult;
import interregnum.table.DdlStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Indexes that are filled while their rows change. */
class BackfillTest {
  @RegisterExtension static final EtcdServer SERVER = new EtcdServer();

  @RegisterExtension final TestCluster cluster = new TestCluster(SERVER);

  private static final String BEFORE_COMMIT = "beforeBackfillCommit";

  private TestNode owner;

  private void startWithRows(int rows) throws InterruptedException {
    owner = cluster.start();
    for (int first = 0; first < rows; first += 1_000) {
      assertThat(owner.insert("t", first, Math.min(1_000, rows - first), first))
          .isInstanceOf(CommitResult.Committed.class);
    }
  }

  private TestNode.Pending addIndex(boolean unique) {
    return cluster
        .other(owner)
        .submit(new DdlStatement.AddIndex(DB, "t", "i", List.of("v"), unique));
  }

  private void assertConsistent() throws InterruptedException {
    assertThat(owner.sql("admin check table t")).isEqualTo("ok");
    assertThat(owner.sql("select count(*) from t use index (i) where v >= -1000000"))
        .isEqualTo(owner.sql("select count(*) from t"));
  }

  /** Changes rows after the batches have read them, and before they commit. */
  private String changeRowsBehindTheBackfill(boolean unique) throws InterruptedException {
    startWithRows(2_500);
    owner.failpoints.arm(BEFORE_COMMIT, "pause");
    TestNode.Pending adding = addIndex(unique);
    awaitHeld(owner, BEFORE_COMMIT);
    TestNode writer = cluster.other(owner);
    for (String statement :
        List.of(
            "update t set v = -1 where id = 10",
            "delete from t where id = 11",
            "update t set id = 5000 where id = 12",
            "insert into t values (2600, 99999)",
            "delete from t where id = 2499",
            "insert into t values (2499, 2499)",
            "update t set v = 77777 where id = 1000",
            "update t set v = 1000 where id = 1000")) {
      assertThat(writer.sql(statement)).as(statement).isEqualTo("ok");
    }
    owner.failpoints.disarm(BEFORE_COMMIT);
    return adding.await();
  }

  @Test
  void leavesNoTraceOfRowsThatHaveChanged() throws InterruptedException {
    assertThat(changeRowsBehindTheBackfill(false)).isEqualTo("ok");
    assertConsistent();
    assertThat(owner.sql("select id from t use index (i) where v = 11")).isEmpty();
    assertThat(owner.sql("select id from t use index (i) where v = 12")).isEqualTo("[5000]");
    assertThat(owner.sql("select id from t use index (i) where v = -1")).isEqualTo("[10]");
  }

  @Test
  void doesSoForUniqueIndexes() throws InterruptedException {
    assertThat(changeRowsBehindTheBackfill(true)).isEqualTo("ok");
    assertConsistent();
    assertThat(owner.sql("insert into t values (11, 11)")).isEqualTo("ok");
    assertThat(owner.sql("insert into t values (9000, 12)")).startsWith("1062: ");
  }

  @Test
  void findsADuplicateThatArisesBetweenTwoBatches() throws InterruptedException {
    startWithRows(2_500);
    owner.failpoints.arm(BEFORE_COMMIT, "pause");
    TestNode.Pending adding = addIndex(true);
    awaitHeld(owner, BEFORE_COMMIT);
    assertThat(owner.sql("update t set v = 2400 where id = 3")).isEqualTo("ok");
    owner.failpoints.disarm(BEFORE_COMMIT);
    assertThat(adding.await()).isEqualTo("DUP_KEY: Duplicate entry '2400' for key 't.i'");
    assertThat(owner.table("t").orElseThrow().indexes()).isEmpty();
  }

  @Test
  void isConsistentUnderConstantChange() throws InterruptedException {
    startWithRows(8_000);
    List<Task> writers = new ArrayList<>();
    AtomicInteger done = new AtomicInteger();
    TestNode.Pending adding = addIndex(false);
    for (int w = 0; w < 3; w++) {
      TestNode node = cluster.nodes().get(w);
      int first = w;
      writers.add(
          node.runtime.spawn(
              "writer " + w,
              () -> {
                for (int i = first; adding.end().get().isEmpty(); i += 3) {
                  int id = i * 37 % 8_000;
                  String statement =
                      switch (i % 4) {
                        case 0 -> "delete from t where id = " + id;
                        case 1 -> "insert into t values (" + (10_000 + i) + ", " + i + ")";
                        default -> "update t set v = v + 8000 where id = " + id;
                      };
                  if (node.sql(statement).equals("ok")) {
                    done.incrementAndGet();
                  }
                }
              }));
    }
    assertThat(adding.await()).isEqualTo("ok");
    for (Task writer : writers) {
      assertThat(writer.join(TestCluster.LONG)).isTrue();
    }
    assertThat(done.get()).isPositive();
    assertConsistent();
  }

  @Test
  void isCarriedOnByASuccessor() throws InterruptedException {
    startWithRows(2_500);
    TestNode first = owner;
    first.failpoints.arm(BEFORE_COMMIT, "pause");
    TestNode.Pending adding = addIndex(false);
    awaitHeld(first, BEFORE_COMMIT);
    first.coordinator.ownership().resign();
    assertThat(cluster.owner(first)).isNotEqualTo(first);
    assertThat(first.sql("delete from t where id = 100")).isEqualTo("ok");
    first.runtime.sleep(Duration.ofMillis(200));
    first.failpoints.disarm(BEFORE_COMMIT);
    assertThat(adding.await()).isEqualTo("ok");
    assertConsistent();
  }

  @Test
  void repeatsBatchesThatFailed() throws InterruptedException {
    startWithRows(2_500);
    owner.failpoints.arm(BEFORE_COMMIT, "2*error");
    assertThat(addIndex(true).await()).isEqualTo("ok");
    assertConsistent();
  }
}
