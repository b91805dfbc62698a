package interregnum.sql.exec;

import interregnum.allocator.IdService;
import interregnum.runtime.Mutex;
import interregnum.runtime.Runtime;
import interregnum.sql.Catalog;
import interregnum.sql.parser.StatementParser;
import interregnum.store.Store;
import java.util.Locale;

/** What the sessions of one node share. Safe for use by any task. */
public final class SqlEngine {

  private final Runtime runtime;
  private final Store store;
  private final Catalog catalog;
  private final IdService ids;
  private final DdlAdmin admin;
  private final SqlModes modes;
  private final StatementParser parser;
  private final Mutex lock;
  private final String hiddenKeyPrefix;
  private long hiddenKeys; // guarded by lock

  /** The services that statements are carried out by. */
  public record Parts(
      Store store, Catalog catalog, IdService ids, DdlAdmin admin, SqlModes modes) {}

  public SqlEngine(String nodeId, Runtime runtime, Parts parts) {
    this.runtime = runtime;
    this.store = parts.store();
    this.catalog = parts.catalog();
    this.ids = parts.ids();
    this.admin = parts.admin();
    this.modes = parts.modes();
    this.parser = new StatementParser(runtime);
    this.lock = runtime.mutex("hidden row keys");
    this.hiddenKeyPrefix =
        String.format(Locale.ROOT, "r%015d.%s.", runtime.wallTimeMillis(), nodeId);
  }

  /** A new session; the number is the client's connection id. */
  public Session session(long connectionId) {
    return new Session(this, connectionId);
  }

  /** What clients are told they talk to. */
  public String version() {
    return SystemVariables.SERVER_VERSION;
  }

  /** Loads the parser, which takes the better part of a second, before a client waits for it. */
  public void warmUp() {
    parser.parse("select a from t where b = 1");
    parser.parse("insert into t (a) values (1)");
  }

  Runtime runtime() {
    return runtime;
  }

  Store store() {
    return store;
  }

  Catalog catalog() {
    return catalog;
  }

  IdService ids() {
    return ids;
  }

  DdlAdmin admin() {
    return admin;
  }

  SqlModes modes() {
    return modes;
  }

  StatementParser parser() {
    return parser;
  }

  /**
   * A key for a row of a table without primary key: no other node, nor this one before it was
   * started anew, makes the same.
   */
  String hiddenKey() {
    lock.lock();
    try {
      hiddenKeys++;
      return hiddenKeyPrefix + String.format(Locale.ROOT, "%015d", hiddenKeys);
    } finally {
      lock.unlock();
    }
  }
}
