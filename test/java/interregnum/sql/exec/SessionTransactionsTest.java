package interregnum.sql.exec;

import static org.assertj.core.api.Assertions.assertThat;

import interregnum.error.SqlError;
import interregnum.store.CommitResult;
import org.junit.jupiter.api.Test;

class SessionTransactionsTest extends SessionFixture {

  private final Session other = newSession(2);

  @Test
  void showTheirWritesToNobodyBeforeTheCommit() throws Exception {
    run("begin");
    run("insert into t values (1, 1)");
    assertThat(rows("select * from t")).hasSize(1);
    assertThat(((Result.Rows) run(other, "select * from t")).rows()).isEmpty();
    run("commit");
    assertThat(((Result.Rows) run(other, "select * from t")).rows()).hasSize(1);
    assertThat(session.isInTransaction()).isFalse();
  }

  @Test
  void leaveNothingAfterARollback() throws Exception {
    run("set autocommit = 0");
    run("insert into t values (1, 1)");
    assertThat(session.isInTransaction()).isTrue();
    run("rollback");
    run("set autocommit = 1");
    assertThat(rows("select * from t")).isEmpty();
  }

  @Test
  void overwriteWhatTheyDidNotReadIfTheyAreReplayed() throws Exception {
    Session replaying = newSession(engine(new SqlModes(SqlModes.Conflict.REPLAYED)), 3);
    run("insert into t values (1, 1)");
    run(replaying, "begin");
    assertThat(((Result.Rows) run(replaying, "select k from t where id = 1 for update")).rows())
        .containsExactly(row(1L));
    run("update t set k = 5 where id = 1");
    run(replaying, "update t set k = 2 where id = 1");
    run(replaying, "commit");
    assertThat(rows("select k from t")).containsExactly(row(2L));
    run(replaying, "begin");
    run(replaying, "update t set k = 9 where id = 1");
    run(replaying, "rollback");
    assertThat(rows("select k from t")).containsExactly(row(2L));
  }

  @Test
  void loseAgainstTheFirstCommitter() throws Exception {
    run("insert into t values (1, 1)");
    run("begin");
    run("update t set k = 2 where id = 1");
    run(other, "update t set k = 3 where id = 1");
    assertFails(SqlError.WRITE_CONFLICT, "conflict", "commit");
    assertThat(rows("select k from t")).containsExactly(row(3L));
  }

  @Test
  void conflictOnRowsTheyOnlyLocked() throws Exception {
    run("insert into t values (1, 1), (2, 2)");
    run("begin");
    run("select * from t where id = 1 for update");
    run("select * from t where id = 9 for update");
    run("update t set k = 5 where id = 2");
    run(other, "insert into t values (9, 9)");
    assertFails(SqlError.WRITE_CONFLICT, "conflict", "commit");
  }

  @Test
  void conflictWithADropOfTheirTable() throws Exception {
    run("begin");
    run("insert into t values (1, 1)");
    run(other, "drop table t");
    assertFails(SqlError.WRITE_CONFLICT, "conflict", "commit");
  }

  @Test
  void tellUnknownFromDefinite() {
    store.failNextCommit(new CommitResult.Unknown("no reply"));
    assertFails(SqlError.UNDETERMINED, "no reply", "insert into t values (1, 1)");
    store.failNextCommit(new CommitResult.Failed("refused"));
    assertFails(SqlError.STORE_UNREACHABLE, "refused", "insert into t values (1, 1)");
    store.reachable(false);
    assertFails(SqlError.STORE_UNREACHABLE, "out of reach", "select * from t");
  }

  @Test
  void aSchemaChangeCommitsTheOneThatIsOpen() throws Exception {
    run("begin");
    run("insert into t values (1, 1)");
    run("create table u (id int)");
    run("rollback");
    assertThat(rows("select * from t")).hasSize(1);
  }
}
