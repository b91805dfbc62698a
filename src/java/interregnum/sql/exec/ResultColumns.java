package interregnum.sql.exec;

import interregnum.sql.Expr;
import interregnum.sql.Statement.SelectItem;
import interregnum.sql.Values;
import interregnum.table.Column;
import interregnum.table.ColumnType;
import interregnum.table.TableInfo;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Names and types of a SELECT's columns. */
final class ResultColumns {

  private static final ColumnType BIGINT = new ColumnType(ColumnType.Kind.BIGINT, false, 0);
  private static final ColumnType UNSIGNED = new ColumnType(ColumnType.Kind.BIGINT, true, 0);
  private static final ColumnType DOUBLE = new ColumnType(ColumnType.Kind.DOUBLE, false, 0);
  private static final ColumnType TEXT = new ColumnType(ColumnType.Kind.VARCHAR, false, 0);

  private ResultColumns() {}

  /** The columns; a computed one has the type that all its values in {@code rows} fit. */
  static List<ResultColumn> of(
      TableInfo table, List<SelectItem> items, List<List<Object>> rows, Evaluator values) {
    List<ResultColumn> out = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      SelectItem item = items.get(i);
      String label =
          item.alias().isEmpty() ? Expressions.label(item.value(), values) : item.alias();
      Optional<Column> column =
          table != null && item.value() instanceof Expr.ColumnRef reference
              ? table.column(reference.name())
              : Optional.empty();
      out.add(
          column.isPresent()
              ? ofColumn(label, table, column.get())
              : ResultColumn.of(label, computedType(rows, i)));
    }
    return out;
  }

  private static ResultColumn ofColumn(String label, TableInfo table, Column column) {
    return new ResultColumn(
        label,
        table.database(),
        table.name(),
        column.type(),
        !column.nullable(),
        table.primaryKey().stream().anyMatch(column::isNamed),
        column.autoIncrement());
  }

  private static ColumnType computedType(List<List<Object>> rows, int column) {
    ColumnType type = null;
    for (List<Object> row : rows) {
      Object value = row.get(column);
      if (value instanceof String) {
        return TEXT;
      } else if (value instanceof Double) {
        type = DOUBLE;
      } else if (Values.isInteger(value) && type != DOUBLE) {
        boolean large = value instanceof BigInteger n && n.bitLength() > 64;
        if (large) {
          return TEXT;
        }
        type = value instanceof BigInteger || type == UNSIGNED ? UNSIGNED : BIGINT;
      }
    }
    return type == null ? TEXT : type;
  }
}
