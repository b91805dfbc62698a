package interregnum.sql.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class SessionTest extends SessionFixture {

  @Nested
  class Reads {

    @BeforeEach
    void fill() throws Exception {
      run("insert into t values (1, 10), (2, 20), (3, null), (5, 20)");
    }

    @Test
    void findRowsByConditions() throws Exception {
      assertThat(rows("select k from t where id = 2")).containsExactly(row(20L));
      assertThat(rows("select id from t where id in (5, 1, 9)"))
          .containsExactly(row(1L), row(5L));
      assertThat(rows("select id from t where id > 1 and id <= 3"))
          .containsExactly(row(2L), row(3L));
      assertThat(rows("select id from t where 3 <= id")).containsExactly(row(3L), row(5L));
      assertThat(rows("select id from t where k = 20 and not id = 2")).containsExactly(row(5L));
      assertThat(rows("select id from t where k is null or k < 15"))
          .containsExactly(row(1L), row(3L));
      assertThat(rows("select id from t where k <=> null")).containsExactly(row(3L));
      assertThat(rows("select id from t where id between 2 and 3"))
          .containsExactly(row(2L), row(3L));
      assertThat(rows("select id from t where id = '2'")).containsExactly(row(2L));
      assertThat(rows("select id from t where id = 2.5")).isEmpty();
    }

    @Test
    void sortCutAndCount() throws Exception {
      assertThat(rows("select id from t order by k desc, id desc limit 2"))
          .containsExactly(row(5L), row(2L));
      assertThat(rows("select id from t limit 1, 2")).containsExactly(row(2L), row(3L));
      assertThat(rows("select id x from t order by x desc limit 1 offset 1"))
          .containsExactly(row(3L));
      assertThat(rows("select count(*), count(k), max(id), min(k), sum(k) from t"))
          .containsExactly(row(4L, 3L, 5L, 10L, 50L));
      assertThat(rows("select count(*) from t where id > 100")).containsExactly(row(0L));
      assertThat(rows("select distinct k from t order by k"))
          .containsExactly(row((Object) null), row(10L), row(20L));
    }

    @Test
    void nameColumnsAsWritten() throws Exception {
      Result.Rows result = (Result.Rows) run("select id, k as v, k+1, t.k, upper('a') from t");
      assertThat(result.columns().stream().map(ResultColumn::name))
          .containsExactly("id", "v", "k + 1", "k", "upper(a)");
    }

    @Test
    void workWithoutTable() throws Exception {
      assertThat(rows("select 1 + 2 * 3, 'it''s', \"q\\\"\", -5, 7 / 2, 7 div 2, 7 % 4, null"))
          .containsExactly(row(7L, "it's", "q\"", -5L, 3.5, 3L, 3L, null));
      assertThat(rows("select database(), connection_id(), @@autocommit, @@session.wait_timeout"))
          .containsExactly(row("test", 1L, 1L, 28800L));
      assertThat(rows("select version() from dual where 1 = 0")).isEmpty();
    }

    @Test
    void seeIndexesOnlyIfHinted() throws Exception {
      run("create table u (id int primary key, v int, w int, key kv (v))");
      run("insert into u values (1, 5, 1), (2, 4, 2), (3, 5, 3)");
      assertThat(rows("select id from u force index (kv)"))
          .containsExactly(row(2L), row(1L), row(3L));
      assertThat(rows("select id, w from u use index (kv) where v = 5"))
          .containsExactly(row(1L, 1L), row(3L, 3L));
      assertThat(rows("select count(*) from u use index (kv) where v >= 5"))
          .containsExactly(row(2L));
      assertFails(SqlError.NO_SUCH_INDEX, "'x'", "select * from u use index (x)");
    }
  }

  @Nested
  class Changes {

    @BeforeEach
    void fill() throws Exception {
      run("insert into t values (1, 3), (2, 20)");
    }

    @Test
    void compareAndSetTellsWhetherItDid() throws Exception {
      assertThat(change("update t set k = 5 where id = 1 and k = 3").affected()).isEqualTo(1);
      assertThat(change("update t set k = 6 where id = 1 and k = 3").affected()).isZero();
      assertThat(rows("select k from t where id = 1")).containsExactly(row(5L));
    }

    @Test
    void countChangedOrMatchedRows() throws Exception {
      assertThat(change("update t set k = 3").affected()).isEqualTo(1);
      session.countFound(true);
      Result.Done done = change("update t set k = 3");
      assertThat(done.affected()).isEqualTo(2);
      assertThat(done.info()).isEqualTo("Rows matched: 2  Changed: 0  Warnings: 0");
    }

    @Test
    void mayMoveARow() throws Exception {
      run("update t set id = id + 10 where id = 1");
      assertThat(rows("select * from t")).containsExactly(row(2L, 20L), row(11L, 3L));
      assertFails(SqlError.DUP_KEY, "'11'", "update t set id = 11 where id = 2");
    }

    @Test
    void deleteByKeyAndLimit() throws Exception {
      assertThat(change("delete from t where id = 1").affected()).isEqualTo(1);
      assertThat(change("delete from t where id = 1").affected()).isZero();
      run("insert into t values (7, 7)");
      assertThat(change("delete from t limit 1").affected()).isEqualTo(1);
      assertThat(rows("select id from t")).containsExactly(row(7L));
    }

    @Test
    void keepUniqueIndexesTrue() throws Exception {
      run("create table u (id int primary key, v int, unique key uv (v))");
      run("insert into u values (1, 5), (2, null), (3, null)");
      assertFails(SqlError.DUP_KEY, "Duplicate entry '5' for key 'u.uv'",
          "insert into u values (4, 5)");
      run("update u set v = 6 where id = 1");
      run("insert into u values (4, 5)");
      assertFails(SqlError.DUP_KEY, "'6'", "update u set v = 6 where id = 4");
      run("delete from u where id = 1");
      run("update u set v = 6 where id = 4");
      assertThat(rows("select id, v from u force index (uv) where v is not null"))
          .containsExactly(row(4L, 6L));
    }
  }

  @Nested
  class Tables {

    @Test
    void areCreatedShownAndDropped() throws Exception {
      run("create table if not exists t (x int)");
      run("create table U (a varchar(10) not null default 'x', b double, c bigint unsigned,"
          + " primary key (a, c), index (b)) engine=InnoDB default charset=utf8mb4");
      assertThat(rows("show tables")).containsExactly(row("t"), row("U"));
      assertThat((String) rows("show create table u").get(0).get(1))
          .contains("`a` varchar(10) NOT NULL DEFAULT 'x'", "`c` bigint unsigned NOT NULL",
              "PRIMARY KEY (`a`,`c`)", "KEY `b` (`b`)");
      assertThat((String) rows("show create table t").get(0).get(1))
          .endsWith("/*T![auto_id_cache] AUTO_ID_CACHE=1 */");
      run("drop table t, u");
      run("drop table if exists t");
      assertThat(rows("show tables")).isEmpty();
    }

    @Test
    void aNewIncarnationHasANewIdAndNoRows() throws Exception {
      run("insert into t values (1, 1)");
      run("drop table t");
      run("create table t (id int primary key)");
      assertThat(rows("select * from t")).isEmpty();
    }

    @Test
    void tellTheNextId() throws Exception {
      run("insert into t (k) values (1), (2)");
      assertThat(rows("show table t next_row_id"))
          .containsExactly(row("test", "t", "id", 3L, "AUTO_INCREMENT"));
    }

    @Test
    void refuseBadDefinitions() {
      assertFails(SqlError.TABLE_EXISTS, "'test.t' already exists", "create table t (a int)");
      assertFails(SqlError.DUP_COLUMN, "'A'", "create table u (a int, A int)");
      assertFails(SqlError.WRONG_AUTO_COLUMN, "", "create table u (a int auto_increment)");
      assertFails(SqlError.MULTIPLE_PRIMARY_KEYS, "",
          "create table u (a int primary key, b int primary key)");
      assertFails(SqlError.KEY_COLUMN_MISSING, "'z'", "create table u (a int, primary key (z))");
      assertFails(SqlError.SYNTAX, "near 'blurb)'", "create table u (a blurb)");
      assertFails(SqlError.NOT_SUPPORTED, "datetime", "create table u (a datetime)");
      assertFails(SqlError.UNKNOWN_DATABASE, "'no'", "create table no.u (a int)");
      assertFails(SqlError.UNKNOWN_TABLE, "'test.u'", "drop table u");
    }
  }

  @Test
  void refusesWhatMakesNoSense() {
    assertFails(SqlError.NO_SUCH_TABLE, "Table 'test.u' doesn't exist", "select * from u");
    assertFails(SqlError.UNKNOWN_COLUMN, "Unknown column 'z' in 'field list'", "select z from t");
    assertFails(SqlError.UNKNOWN_COLUMN, "'z' in 'where clause'", "delete from t where z = 1");
    assertFails(SqlError.UNKNOWN_COLUMN, "'z'", "insert into t (z) values (1)");
    assertFails(SqlError.VALUE_COUNT, "at row 2", "insert into t values (1, 2), (3)");
    assertFails(SqlError.COLUMN_TWICE, "'k'", "insert into t (k, k) values (1, 2)");
    assertFails(SqlError.OUT_OF_RANGE, "'k' at row 1", "insert into t values (1, 2147483648)");
    assertFails(SqlError.WRONG_VALUE, "'x'", "insert into t values (1, 'x')");
    assertFails(SqlError.SYNTAX, "", "selec 1");
    assertFails(SqlError.SYNTAX, "", "select 1; select 2");
    assertFails(SqlError.SYNTAX, "", "insert into t values (1, 'x");
    assertFails(SqlError.EMPTY_QUERY, "", " -- nothing");
    assertFails(SqlError.UNKNOWN_VARIABLE, "'nonesuch'", "select @@nonesuch");
    assertFails(SqlError.READ_ONLY_VARIABLE, "'version'", "set version = 'x'");
    assertFails(SqlError.NO_SUCH_FUNCTION, "nonesuch", "select nonesuch(1)");
    assertFails(SqlError.NOT_SUPPORTED, "JOIN", "select * from t join t u on t.id = u.id");
    assertFails(SqlError.NOT_SUPPORTED, "", "select * from (select 1) x");
    assertFails(SqlError.UNKNOWN_DATABASE, "'x'", "use x");
  }

  @Test
  void requiresADatabaseForABareName() {
    Session fresh = engine.session(9);
    SqlException failure =
        catchThrowableOfType(SqlException.class, () -> run(fresh, "select * from t"));
    assertThat(failure.error()).isEqualTo(SqlError.NO_DATABASE);
  }

  @Test
  void keepsVariables() throws Exception {
    run("set names utf8mb4 collate utf8mb4_bin");
    run("set @x = 5, sql_mode = 'A,B', session transaction isolation level read committed");
    run("set tidb_txn_mode = 'optimistic'");
    assertThat(rows("select @x, @@sql_mode, @@tx_isolation, @@tidb_txn_mode, @y"))
        .containsExactly(row(5L, "A,B", "READ-COMMITTED", "optimistic", null));
    assertThat(rows("show variables like 'tx\\_iso%'"))
        .containsExactly(row("tx_isolation", "READ-COMMITTED"));
  }
}
