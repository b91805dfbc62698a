package interregnum.sql.exec;

import static org.assertj.core.api.Assertions.assertThat;

import interregnum.error.SqlError;
import interregnum.store.CommitResult;
import java.math.BigInteger;
import org.junit.jupiter.api.Test;

class SessionInsertsTest extends SessionFixture {

  @Test
  void drawIdsForRowsWithout() throws Exception {
    assertThat(change("insert into t (k) values (10)")).isEqualTo(new Result.Done(1, 1, ""));
    assertThat(change("insert into t values (null, 20), (0, 30), (default, 40)").lastInsertId())
        .isEqualTo(2);
    assertThat(rows("select last_insert_id()")).containsExactly(row(2L));
    assertThat(rows("select * from t"))
        .containsExactly(row(1L, 10L), row(2L, 20L), row(3L, 30L), row(4L, 40L));
  }

  @Test
  void liftTheCounterOverExplicitIds() throws Exception {
    assertThat(change("insert into t (id, k) values (100, 1)").lastInsertId()).isEqualTo(100);
    assertThat(rows("select last_insert_id()")).containsExactly(row(0L));
    assertThat(change("insert into t (k) values (2)").lastInsertId()).isEqualTo(101);
    assertThat(change("insert into t values (null, 3), (200, 4), (null, 5)").lastInsertId())
        .isEqualTo(102);
    assertThat(rows("select id from t"))
        .containsExactly(row(100L), row(101L), row(102L), row(200L), row(201L));
  }

  @Test
  void tellTheTermInWhichTheirIdsWereReserved() throws Exception {
    assertThat(rows("select @@interregnum_autoid_term")).containsExactly(row(0L));
    run("insert into t (k) values (10)");
    assertThat(rows("select @@interregnum_autoid_term")).containsExactly(row(MemoryIds.TERM));
    run("insert into t (id, k) values (100, 1)");
    assertThat(rows("select @@interregnum_autoid_term")).containsExactly(row(MemoryIds.TERM));
    assertFails(
        SqlError.READ_ONLY_VARIABLE, "read only", "set interregnum_autoid_term = 3");
  }

  @Test
  void followIncrementAndOffset() throws Exception {
    run("set auto_increment_increment = 10, auto_increment_offset = 5");
    run("insert into t (k) values (1), (2)");
    assertThat(rows("select id from t")).containsExactly(row(5L), row(15L));
    run("insert into t (k) values (3)");
    assertThat(rows("select max(id) from t")).containsExactly(row(25L));
  }

  @Test
  void keepTheIdsTheyDrewWhenTheirTransactionIsTriedAgain() throws Exception {
    store.failNextCommit(new CommitResult.Conflict());
    run("insert into t (k) values (1)");
    run("insert into t (k) values (2)");
    assertThat(rows("select id from t")).containsExactly(row(1L), row(2L));
  }

  @Test
  void leaveNothingBehindWhenOneRowIsRefused() throws Exception {
    run("insert into t values (2, 1)");
    run("begin");
    assertFails(
        SqlError.DUP_KEY, "Duplicate entry '2' for key 't.PRIMARY'",
        "insert into t values (1, 1), (2, 2)");
    run("commit");
    assertThat(rows("select * from t")).containsExactly(row(2L, 1L));
  }

  @Test
  void updateInsteadIfAsked() throws Exception {
    run("insert into t values (1, 1)");
    String upsert = "insert into t values (?, ?) on duplicate key update k = values(k) + k";
    assertThat(change(upsert, 1L, 5L).affected()).isEqualTo(2);
    assertThat(change(upsert, 2L, 7L).affected()).isEqualTo(1);
    assertThat(rows("select * from t")).containsExactly(row(1L, 6L), row(2L, 7L));
  }

  @Test
  void replaceWhatStandsInTheWay() throws Exception {
    run("create table u (a int primary key, b int unique)");
    run("insert into u values (1, 1), (2, 2), (3, 3)");
    assertThat(change("replace into u values (1, 2)").affected()).isEqualTo(3);
    assertThat(rows("select * from u")).containsExactly(row(1L, 2L), row(3L, 3L));
  }

  @Test
  void workWithoutPrimaryKey() throws Exception {
    run("create table u (v int)");
    run("insert into u values (3), (1), (3)");
    assertThat(rows("select v from u")).containsExactly(row(3L), row(1L), row(3L));
    assertThat(change("delete from u where v = 3").affected()).isEqualTo(2);
  }

  @Test
  void takeUnsignedIdsBeyondALong() throws Exception {
    run("create table u (id bigint unsigned primary key auto_increment)");
    run("insert into u values (18446744073709551613)");
    assertThat(change("insert into u values (null)").lastInsertId()).isEqualTo(-2);
    assertThat(rows("select id from u"))
        .containsExactly(
            row(new BigInteger("18446744073709551613")),
            row(new BigInteger("18446744073709551614")));
  }

  @Test
  void sayWhyThereIsNoId() {
    ids.available(false);
    assertFails(SqlError.NO_AUTO_ID, "no leader", "insert into t (k) values (1)");
    assertFails(SqlError.NO_AUTO_ID, "no leader", "insert into t values (5, 1)");
    assertThat(store.keys()).noneMatch(key -> key.startsWith("/interregnum/row/"));
  }
}
