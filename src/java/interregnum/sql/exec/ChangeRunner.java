package interregnum.sql.exec;

import interregnum.allocator.IdService;
import interregnum.error.SqlError;
import interregnum.sql.Expr;
import interregnum.sql.Statement.Assignment;
import interregnum.sql.Statement.Delete;
import interregnum.sql.Statement.Update;
import interregnum.sql.Values;
import interregnum.table.Column;
import interregnum.table.Row;
import interregnum.table.TableInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/** Runs one execution of an UPDATE or DELETE. */
final class ChangeRunner {

  private static final Supplier<String> NO_NEW_KEYS =
      () -> {
        throw new IllegalStateException("a change of rows adds none");
      };

  private final Evaluator values;
  private final IdService ids;
  private final SessionSettings settings;

  ChangeRunner(Evaluator values, IdService ids, SessionSettings settings) {
    this.values = values;
    this.ids = ids;
    this.settings = settings;
  }

  Result.Done update(Update update, TableInfo table, String alias, Transaction transaction)
      throws InterruptedException {
    for (Assignment assignment : update.assignments()) {
      column(table, assignment);
      Expressions.checkColumns(assignment.value(), table, alias, "field list");
    }
    List<StoredRow> found =
        find(update.where(), update.limit(), table, alias, transaction);
    StatementWrites writes = new StatementWrites(transaction.store());
    RowWriter writer = new RowWriter(table, writes, NO_NEW_KEYS);
    long changed = 0;
    for (StoredRow old : found) {
      Row row = new Row(old.row());
      if (assign(update, table, alias, row, (int) changed + 1)) {
        liftCounter(table, old.row(), row);
        writer.update(old, row);
        changed++;
      }
    }
    transaction.apply(writes);
    String info = "Rows matched: " + found.size() + "  Changed: " + changed + "  Warnings: 0";
    return new Result.Done(settings.countFound() ? found.size() : changed, 0, info);
  }

  private boolean assign(Update update, TableInfo table, String alias, Row row, int number) {
    boolean differs = false;
    for (Assignment assignment : update.assignments()) {
      Column column = column(table, assignment);
      Object value =
          assignment.value() instanceof Expr.Default
              ? column.defaultValue()
              : values.eval(assignment.value(), new RowScope(table, alias, row));
      Object stored = Values.coerce(column, value, number);
      differs |= !Objects.equals(stored, row.get(column));
      row.set(column, stored);
    }
    return differs;
  }

  private void liftCounter(TableInfo table, Row before, Row after) throws InterruptedException {
    Optional<Column> auto = table.autoColumn();
    if (auto.isPresent() && !Objects.equals(before.get(auto.get()), after.get(auto.get()))) {
      AutoIds autoIds =
          new AutoIds(ids, table, auto.get(), settings.spacing(), settings.zeroIsImplicit());
      autoIds.keepExplicit(after.get(auto.get()));
    }
  }

  Result.Done delete(Delete delete, TableInfo table, String alias, Transaction transaction)
      throws InterruptedException {
    List<StoredRow> found =
        find(delete.where(), delete.limit(), table, alias, transaction);
    StatementWrites writes = new StatementWrites(transaction.store());
    RowWriter writer = new RowWriter(table, writes, NO_NEW_KEYS);
    found.forEach(writer::delete);
    transaction.apply(writes);
    return new Result.Done(found.size(), 0, "");
  }

  private List<StoredRow> find(
      Expr where, Expr limit, TableInfo table, String alias, Transaction transaction)
      throws InterruptedException {
    Expressions.checkColumns(where, table, alias, "where clause");
    long most = limit == null ? Long.MAX_VALUE : SelectRunner.count(values, limit);
    AccessPath path = AccessPath.of(table, where, values);
    RowCursor cursor = new RowCursor(transaction.store(), table, path, false);
    List<StoredRow> found = new ArrayList<>();
    while (found.size() < most) {
      Optional<StoredRow> next = cursor.next();
      if (next.isEmpty()) {
        break;
      }
      if (values.holds(where, new RowScope(table, alias, next.get().row()))) {
        found.add(next.get());
      }
    }
    return found;
  }

  private static Column column(TableInfo table, Assignment assignment) {
    return table
        .column(assignment.column())
        .orElseThrow(
            () ->
                SqlError.UNKNOWN_COLUMN.with(
                    "Unknown column '%s' in '%s'", assignment.column(), "field list"));
  }
}
