package interregnum.sql.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.runtime.SystemRuntime;
import interregnum.sql.StoreCatalog;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** A session on a store and an id service in memory, with a table {@code t}. */
abstract class SessionFixture {

  final MemoryStore store = new MemoryStore();
  final MemoryIds ids = new MemoryIds();
  final SqlEngine engine = engine(SqlModes.CORRECT);
  final Session session = newSession(1);

  SqlEngine engine(SqlModes modes) {
    SystemRuntime runtime =
        new SystemRuntime(
            1,
            (task, failure) -> {
              throw new AssertionError(task, failure);
            });
    return new SqlEngine(
        "n1",
        runtime,
        new SqlEngine.Parts(
            store, new StoreCatalog(store), ids, statement -> Result.Done.NOTHING, modes));
  }

  Session newSession(long id) {
    return newSession(engine, id);
  }

  static Session newSession(SqlEngine engine, long id) {
    Session opened = engine.session(id);
    opened.use("test");
    return opened;
  }

  @BeforeEach
  void createTable() throws Exception {
    run("create table t (id int primary key auto_increment, k int) auto_id_cache = 1");
  }

  Result run(String sql, Object... parameters) throws InterruptedException {
    return run(session, sql, parameters);
  }

  static Result run(Session in, String sql, Object... parameters)
      throws InterruptedException {
    return in.execute(in.parse(sql), Arrays.asList(parameters));
  }

  Result.Done change(String sql, Object... parameters) throws InterruptedException {
    return (Result.Done) run(sql, parameters);
  }

  List<List<Object>> rows(String sql, Object... parameters) throws InterruptedException {
    return ((Result.Rows) run(sql, parameters)).rows();
  }

  SqlException failure(String sql, Object... parameters) {
    return catchThrowableOfType(SqlException.class, () -> run(sql, parameters));
  }

  static List<Object> row(Object... values) {
    return Arrays.asList(values);
  }

  void assertFails(SqlError error, String message, String sql) {
    SqlException failure = failure(sql);
    assertThat(failure).as(sql).isNotNull();
    assertThat(failure.error()).as(sql).isEqualTo(error);
    assertThat(failure.getMessage()).as(sql).contains(message);
  }
}
