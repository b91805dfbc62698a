package interregnum.sql;

import interregnum.error.SqlException;
import interregnum.store.StoreTxn;
import interregnum.table.DdlStatement;

/** Which tables there are, and how that changes. Safe for use by any task. */
public interface Catalog {

  /** The tables as {@code txn} is to see them. The caller closes the view when the txn ends. */
  CatalogView view(StoreTxn txn) throws InterruptedException;

  /**
   * Carries out a schema change, and returns once every node will see it.
   *
   * @throws SqlException if it was refused, or its outcome is unknown
   */
  void execute(DdlStatement statement) throws InterruptedException;
}
