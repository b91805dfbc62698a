package interregnum.sql.exec;

import interregnum.error.SqlError;
import interregnum.sql.Catalog;
import interregnum.sql.CatalogView;
import interregnum.sql.CommitErrors;
import interregnum.store.CommitResult;
import interregnum.store.Store;
import interregnum.store.StoreTxn;
import interregnum.table.TableInfo;

/** A session's transaction: a snapshot of the store and the tables that go with it. */
final class Transaction implements AutoCloseable {

  private final StoreTxn txn;
  private final CatalogView tables;
  private boolean dirty;

  private Transaction(StoreTxn txn, CatalogView tables) {
    this.txn = txn;
    this.tables = tables;
  }

  static Transaction begin(Store store, Catalog catalog) throws InterruptedException {
    StoreTxn txn = store.begin();
    return new Transaction(txn, catalog.view(txn));
  }

  StoreTxn store() {
    return txn;
  }

  CatalogView tables() {
    return tables;
  }

  /** The definition of a table that must exist. */
  TableInfo table(String database, String name) throws InterruptedException {
    return tables
        .table(database, name)
        .orElseThrow(
            () -> SqlError.NO_SUCH_TABLE.with("Table '%s.%s' doesn't exist", database, name));
  }

  /** Takes over the writes of a statement that succeeded. */
  void apply(StatementWrites writes) {
    dirty |= writes.apply();
  }

  /**
   * Commits; one that wrote and locked nothing needs no commit.
   *
   * @throws interregnum.error.SqlException if the commit failed or its outcome is unknown
   */
  void commit() throws InterruptedException {
    if (!dirty) {
      return;
    }
    tables.beforeCommit();
    CommitResult result = tables.afterCommit(txn.commit());
    if (!(result instanceof CommitResult.Committed)) {
      throw CommitErrors.of(result);
    }
  }

  @Override
  public void close() {
    tables.close();
  }
}
