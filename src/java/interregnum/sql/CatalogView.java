package interregnum.sql;

import interregnum.error.SqlException;
import interregnum.store.CommitResult;
import interregnum.table.TableInfo;
import java.util.List;
import java.util.Optional;

/** The tables as one transaction sees them. Used by one task. */
public interface CatalogView extends AutoCloseable {

  /** The table's definition; marks the table as used by the transaction. */
  Optional<TableInfo> table(String database, String name) throws InterruptedException;

  /** The names of the database's tables, in order. */
  List<String> tables(String database) throws InterruptedException;

  /**
   * Called right before the transaction's commit.
   *
   * @throws SqlException if a used table's definition may no longer be written through
   */
  void beforeCommit() throws InterruptedException;

  /** Called with the result of the commit; gives the result that the session is to act on. */
  CommitResult afterCommit(CommitResult result) throws InterruptedException;

  @Override
  void close();
}
