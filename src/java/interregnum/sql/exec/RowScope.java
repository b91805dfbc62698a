package interregnum.sql.exec;

import interregnum.error.SqlError;
import interregnum.sql.Expr;
import interregnum.table.Column;
import interregnum.table.Row;
import interregnum.table.TableInfo;

/**
 * The row that an expression is about.
 *
 * @param alias what the statement calls the table
 * @param row its values
 * @param inserted the row that {@code values(column)} is about, null outside ON DUPLICATE KEY
 */
record RowScope(TableInfo table, String alias, Row row, Row inserted) {

  RowScope(TableInfo table, String alias, Row row) {
    this(table, alias, row, null);
  }

  Object value(Expr.ColumnRef reference) {
    return row.get(column(table, alias, reference, "field list"));
  }

  /** The column that {@code reference} names. */
  static Column column(TableInfo table, String alias, Expr.ColumnRef reference, String clause) {
    String qualifier = reference.qualifier();
    boolean matches = qualifier.isEmpty() || qualifier.equalsIgnoreCase(alias);
    if (matches) {
      for (Column column : table.columns()) {
        if (column.state().isPublic() && column.isNamed(reference.name())) {
          return column;
        }
      }
    }
    String name = qualifier.isEmpty() ? reference.name() : qualifier + "." + reference.name();
    throw SqlError.UNKNOWN_COLUMN.with("Unknown column '%s' in '%s'", name, clause);
  }
}
