package interregnum.sql;

import interregnum.error.SqlError;
import interregnum.store.CommitResult;
import interregnum.store.Store;
import interregnum.store.StoreTxn;
import interregnum.table.DdlStatement;
import interregnum.table.Keys;
import interregnum.table.TableInfo;
import interregnum.table.TableJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A catalogue that keeps nothing in memory: each transaction reads definitions in its own snapshot,
 * and its commit conflicts if one of those it used has changed since. Creates and drops tables in
 * one transaction; knows no other schema changes.
 */
public final class StoreCatalog implements Catalog {

  private static final int ATTEMPTS_MAX = 20;

  private final Store store;

  public StoreCatalog(Store store) {
    this.store = store;
  }

  @Override
  public CatalogView view(StoreTxn txn) {
    return new View(txn);
  }

  @Override
  public void execute(DdlStatement statement) throws InterruptedException {
    for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      StoreTxn txn = store.begin();
      if (!change(txn, statement)) {
        return;
      }
      CommitResult result = txn.commit();
      if (result instanceof CommitResult.Committed) {
        return;
      } else if (!(result instanceof CommitResult.Conflict)) {
        throw CommitErrors.of(result);
      }
    }
    throw CommitErrors.of(new CommitResult.Conflict());
  }

  /** Writes the change into the transaction; false if there is nothing to do. */
  private static boolean change(StoreTxn txn, DdlStatement statement)
      throws InterruptedException {
    String key = Keys.table(statement.database(), statement.name());
    boolean exists = txn.get(key).isPresent();
    if (statement instanceof DdlStatement.CreateTable create) {
      if (exists && !create.ifNotExists()) {
        throw SqlError.TABLE_EXISTS.with(
            "Table '%s.%s' already exists", create.database(), create.name());
      }
      if (!exists) {
        long id = txn.get(Keys.NEXT_ID).map(Long::parseLong).orElse(0L) + 1;
        txn.put(Keys.NEXT_ID, Long.toString(id));
        txn.put(key, TableJson.write(create.table().withId(id)));
      }
      return !exists;
    } else if (statement instanceof DdlStatement.DropTable drop) {
      if (!exists && !drop.ifExists()) {
        throw SqlError.UNKNOWN_TABLE.with("Unknown table '%s.%s'", drop.database(), drop.name());
      }
      if (exists) {
        txn.delete(key);
      }
      return exists;
    }
    throw SqlError.NOT_SUPPORTED.with(
        "This version doesn't yet support '%s'", statement.getClass().getSimpleName());
  }

  private static final class View implements CatalogView {
    private final StoreTxn txn;
    private final Map<String, Optional<TableInfo>> seen = new LinkedHashMap<>();

    View(StoreTxn txn) {
      this.txn = txn;
    }

    @Override
    public Optional<TableInfo> table(String database, String name) throws InterruptedException {
      String key = Keys.table(database, name);
      Optional<TableInfo> table = seen.get(key);
      if (table == null) {
        table = txn.get(key).map(TableJson::read);
        seen.put(key, table);
      }
      return table;
    }

    @Override
    public List<String> tables(String database) throws InterruptedException {
      String prefix = Keys.tablePrefix(database);
      List<String> names = new ArrayList<>();
      for (StoreTxn.Entry entry : txn.scan(prefix, Keys.end(prefix), 0)) {
        names.add(TableJson.read(entry.value()).name());
      }
      return names;
    }

    @Override
    public void beforeCommit() {
      seen.keySet().forEach(txn::lock);
    }

    @Override
    public CommitResult afterCommit(CommitResult result) {
      return result;
    }

    @Override
    public void close() {
      seen.clear();
    }
  }
}
