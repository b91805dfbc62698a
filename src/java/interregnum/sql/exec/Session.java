package interregnum.sql.exec;

import interregnum.allocator.Spacing;
import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.sql.Expr;
import interregnum.sql.Statement;
import interregnum.sql.Statement.Admin;
import interregnum.sql.Statement.Show;
import interregnum.sql.Statement.TableRef;
import interregnum.sql.Values;
import interregnum.sql.parser.ParsedStatement;
import interregnum.store.StoreUnavailableException;
import interregnum.table.DdlStatement;
import interregnum.table.TableInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One client's session: its variables, its transaction, and the running of its statements. Used by
 * one task at a time; closing it rolls its transaction back.
 *
 * <p>Outside a transaction each statement runs in one of its own, which is tried again when it
 * conflicts with another or with a schema change: that is invisible to the client, since nothing
 * was written.
 */
public final class Session implements AutoCloseable {

  private static final int ATTEMPTS_MAX = 30;
  private static final int BACKOFF_MILLIS_MAX = 20;
  private static final List<String> DATABASES = List.of("information_schema", "test");

  private final SqlEngine engine;
  private final long connectionId;
  private final Functions functions = new SessionFunctions(this);
  private final Map<String, Object> userVariables = new TreeMap<>();
  private SystemVariables variables = new SystemVariables();
  private String database = "";
  private boolean countFound;
  private boolean begun;
  private Optional<Transaction> transaction = Optional.empty();

  /** What the open transaction has done, if it is to be replayed. */
  private final List<Work> done = new ArrayList<>();

  private long lastInsertId;
  private long rowCount;

  Session(SqlEngine engine, long connectionId) {
    this.engine = engine;
    this.connectionId = connectionId;
  }

  /** Parses a statement. */
  public ParsedStatement parse(String sql) {
    return engine.parser().parse(sql);
  }

  /**
   * Runs a statement.
   *
   * @param parameters a value for each parameter of the statement
   * @throws SqlException if it failed, or its outcome is unknown
   */
  public Result execute(ParsedStatement parsed, List<Object> parameters)
      throws InterruptedException {
    if (parameters.size() != parsed.parameterCount()) {
      throw SqlError.WRONG_ARGUMENTS.with("Incorrect arguments to EXECUTE");
    }
    Evaluator values = new Evaluator(functions, parsed.bind(parameters));
    try {
      Result result = run(parsed.statement(), values);
      rowCount = result instanceof Result.Done done ? done.affected() : -1;
      return result;
    } catch (StoreUnavailableException e) {
      throw SqlError.STORE_UNREACHABLE.with("Nothing was written: %s", e.getMessage());
    }
  }

  /** The columns of the statement's result, none if it has no rows; looks its table up. */
  public List<ResultColumn> describe(ParsedStatement parsed) throws InterruptedException {
    if (!(parsed.statement() instanceof Statement.Select select)) {
      return List.of();
    }
    List<Object> nulls = new ArrayList<>();
    for (int i = 0; i < parsed.parameterCount(); i++) {
      nulls.add(null);
    }
    Evaluator values = new Evaluator(functions, parsed.bind(nulls));
    SelectRunner runner = new SelectRunner(select, values);
    if (select.table().isEmpty()) {
      return runner.describe(null, "");
    }
    TableRef ref = select.table().get();
    try (Transaction own = Transaction.begin(engine.store(), engine.catalog())) {
      return runner.describe(own.table(databaseOf(ref.database()), ref.name()), aliasOf(ref));
    } catch (StoreUnavailableException e) {
      throw SqlError.STORE_UNREACHABLE.with("Nothing was written: %s", e.getMessage());
    }
  }

  /** Selects the database that unqualified names are in. */
  public void use(String name) {
    requireDatabase(name);
    database = name;
  }

  /** Whether UPDATE counts rows that matched, not only those that changed. */
  public void countFound(boolean on) {
    countFound = on;
  }

  /** Forgets variables and rolls back, as if the client had connected anew. */
  public void reset() {
    rollback();
    variables = new SystemVariables();
    userVariables.clear();
    lastInsertId = 0;
  }

  /** Whether a transaction is open that the client has to end. */
  public boolean isInTransaction() {
    return begun || transaction.isPresent();
  }

  /** Whether statements outside a transaction commit themselves. */
  public boolean isAutocommit() {
    return variables.isOn("autocommit");
  }

  @Override
  public void close() {
    rollback();
  }

  SystemVariables variables() {
    return variables;
  }

  Object userVariable(String name) {
    return userVariables.get(name);
  }

  String database() {
    return database;
  }

  long connectionId() {
    return connectionId;
  }

  long lastInsertId() {
    return lastInsertId;
  }

  long rowCount() {
    return rowCount;
  }

  long wallTimeMillis() {
    return engine.runtime().wallTimeMillis();
  }

  private Result run(Statement statement, Evaluator values) throws InterruptedException {
    if (statement instanceof Statement.Select select) {
      return select(select, values);
    } else if (statement instanceof Statement.Insert insert) {
      return insert(insert, values);
    } else if (statement instanceof Statement.Update update) {
      ChangeRunner runner = new ChangeRunner(values, engine.ids(), settings());
      TableRef ref = update.table();
      return inTransaction(
          t -> runner.update(update, table(t, ref), aliasOf(ref), t));
    } else if (statement instanceof Statement.Delete delete) {
      ChangeRunner runner = new ChangeRunner(values, engine.ids(), settings());
      TableRef ref = delete.table();
      return inTransaction(
          t -> runner.delete(delete, table(t, ref), aliasOf(ref), t));
    } else if (statement instanceof Statement.Ddl ddl) {
      return ddl(ddl);
    }
    return runCommand(statement, values);
  }

  private Result runCommand(Statement statement, Evaluator values) throws InterruptedException {
    if (statement instanceof Statement.Begin) {
      commit();
      begun = true;
    } else if (statement instanceof Statement.Commit) {
      commit();
    } else if (statement instanceof Statement.Rollback) {
      rollback();
    } else if (statement instanceof Statement.Use use) {
      use(use.database());
    } else if (statement instanceof Statement.SetVariables set) {
      for (Statement.Setting setting : set.settings()) {
        set(setting, values);
      }
    } else if (statement instanceof Show show) {
      return show(show);
    } else if (statement instanceof Admin admin) {
      return admin(admin);
    }
    return Result.Done.NOTHING;
  }

  private Result select(Statement.Select select, Evaluator values) throws InterruptedException {
    SelectRunner runner = new SelectRunner(select, values);
    if (select.table().isEmpty()) {
      return runner.runWithoutTable();
    }
    TableRef ref = select.table().get();
    return inTransaction(t -> runner.run(table(t, ref), aliasOf(ref), t));
  }

  private Result insert(Statement.Insert insert, Evaluator values) throws InterruptedException {
    InsertRunner runner =
        new InsertRunner(insert, values, engine.ids(), settings(), engine::hiddenKey);
    Result result = inTransaction(t -> runner.run(table(t, insert.table()), t));
    if (runner.firstImplicitId() != 0) {
      lastInsertId = runner.firstImplicitId();
      variables.idTerm(runner.term());
    }
    return result;
  }

  private Result ddl(Statement.Ddl ddl) throws InterruptedException {
    commit();
    for (DdlStatement change : ddl.changes()) {
      engine.catalog().execute(DdlNames.resolved(change, this::knownDatabaseOf));
    }
    return Result.Done.NOTHING;
  }

  private Result show(Show show) throws InterruptedException {
    if (ShowRunner.needsTransaction(show)) {
      String in = databaseOf(show.database());
      return inTransaction(t -> ShowRunner.ofTables(show, in, t, engine.ids()));
    }
    return switch (show.what()) {
      case DATABASES -> ShowRunner.databases(DATABASES, show.pattern());
      case VARIABLES -> ShowRunner.variables(variables.all(), show.pattern());
      case WARNINGS -> ShowRunner.warnings();
      default -> ShowRunner.empty();
    };
  }

  private Result admin(Admin admin) throws InterruptedException {
    if (admin.table().name().isEmpty()) {
      return engine.admin().run(admin);
    }
    TableRef ref = admin.table();
    TableRef resolved = new TableRef(databaseOf(ref.database()), ref.name(), "");
    return engine.admin().run(new Admin(admin.action(), admin.jobs(), resolved));
  }

  private void set(Statement.Setting setting, Evaluator values) throws InterruptedException {
    String name = setting.name();
    Object value =
        setting.value() instanceof Expr.Default
            ? variables.defaultOf(name)
            : values.constant(setting.value());
    if (setting.scope().equals("@")) {
      userVariables.put(name, value);
      return;
    }
    if (setting.scope().equals("global")) {
      throw SqlError.NOT_SUPPORTED.with("This version doesn't yet support '%s'", "SET GLOBAL");
    }
    boolean wasAutocommit = isAutocommit();
    variables.set(name, value);
    if (!wasAutocommit && isAutocommit()) {
      commit();
    }
  }

  /** What a statement does in a transaction; may be called again in a new one. */
  private interface Work {
    Result run(Transaction transaction) throws InterruptedException;
  }

  private Result inTransaction(Work work) throws InterruptedException {
    if (begun || !isAutocommit()) {
      if (transaction.isEmpty()) {
        transaction = Optional.of(Transaction.begin(engine.store(), engine.catalog()));
      }
      if (engine.modes().conflict() == SqlModes.Conflict.REPLAYED) {
        done.add(work);
      }
      return work.run(transaction.get());
    }
    return inOwnTransaction(work);
  }

  private Result inOwnTransaction(Work work) throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try (Transaction own = Transaction.begin(engine.store(), engine.catalog())) {
        Result result = work.run(own);
        own.commit();
        return result;
      } catch (SqlException e) {
        boolean passes =
            e.error() == SqlError.WRITE_CONFLICT || e.error() == SqlError.SCHEMA_CHANGED;
        if (!passes || attempt == ATTEMPTS_MAX) {
          throw e;
        }
      }
      int millis = engine.runtime().randomness("sql back-off").nextInt(BACKOFF_MILLIS_MAX);
      engine.runtime().sleep(Duration.ofMillis(millis));
    }
  }

  private void commit() throws InterruptedException {
    Optional<Transaction> ending = transaction;
    List<Work> statements = List.copyOf(done);
    begun = false;
    transaction = Optional.empty();
    done.clear();
    if (ending.isEmpty()) {
      return;
    }
    try (Transaction t = ending.get()) {
      t.commit();
    } catch (SqlException e) {
      if (e.error() != SqlError.WRITE_CONFLICT || statements.isEmpty()) {
        throw e;
      }
      inOwnTransaction(t -> replay(statements, t));
    }
  }

  private static Result replay(List<Work> statements, Transaction t) throws InterruptedException {
    for (Work statement : statements) {
      statement.run(t);
    }
    return Result.Done.NOTHING;
  }

  private void rollback() {
    begun = false;
    transaction.ifPresent(Transaction::close);
    transaction = Optional.empty();
    done.clear();
  }

  private SessionSettings settings() {
    Spacing spacing =
        new Spacing(
            variables.integer("auto_increment_increment"),
            variables.integer("auto_increment_offset"));
    String mode = Values.toText(variables.get("sql_mode"));
    return new SessionSettings(spacing, !mode.contains("NO_AUTO_VALUE_ON_ZERO"), countFound);
  }

  private TableInfo table(Transaction t, TableRef ref) throws InterruptedException {
    return t.table(databaseOf(ref.database()), ref.name());
  }

  private String databaseOf(String written) {
    if (!written.isEmpty()) {
      return written;
    }
    if (database.isEmpty()) {
      throw SqlError.NO_DATABASE.with("No database selected");
    }
    return database;
  }

  private String knownDatabaseOf(String written) {
    String name = databaseOf(written);
    requireDatabase(name);
    return name;
  }

  private static void requireDatabase(String name) {
    if (DATABASES.stream().noneMatch(name::equalsIgnoreCase)) {
      throw SqlError.UNKNOWN_DATABASE.with("Unknown database '%s'", name);
    }
  }

  private static String aliasOf(TableRef ref) {
    return ref.alias().isEmpty() ? ref.name() : ref.alias();
  }
}
