package interregnum.sql.exec;

import interregnum.error.SqlError;
import interregnum.sql.Expr;
import interregnum.sql.Statement.OrderBy;
import interregnum.sql.Statement.Select;
import interregnum.sql.Statement.SelectItem;
import interregnum.sql.Values;
import interregnum.table.Column;
import interregnum.table.IndexEntry;
import interregnum.table.IndexInfo;
import interregnum.table.Keys;
import interregnum.table.TableInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/** Runs one execution of a SELECT. */
final class SelectRunner {

  private final Select select;
  private final Evaluator values;

  SelectRunner(Select select, Evaluator values) {
    this.select = select;
    this.values = values;
  }

  /** The result of a SELECT from no table. */
  Result.Rows runWithoutTable() {
    List<Object> row = new ArrayList<>();
    for (SelectItem item : select.items()) {
      if (item.star()) {
        throw SqlError.SYNTAX.with("No tables used");
      }
      row.add(values.constant(item.value()));
    }
    boolean kept = values.holds(select.where(), null) && limit() > 0 && offset() == 0;
    List<List<Object>> rows = kept ? List.of(row) : List.of();
    return new Result.Rows(ResultColumns.of(null, select.items(), rows, values), rows);
  }

  /** The result of a SELECT from {@code table}; locks its rows if asked to. */
  Result.Rows run(TableInfo table, String alias, Transaction transaction)
      throws InterruptedException {
    List<SelectItem> items = items(table, alias);
    boolean aggregate = items.stream().anyMatch(i -> Expressions.hasAggregate(i.value()));
    List<StoredRow> found = find(table, alias, transaction, aggregate);
    List<List<Object>> rows = new ArrayList<>();
    if (aggregate) {
      rows.add(new Aggregation(table, alias, values).row(items, found));
    } else {
      sort(table, alias, items, found);
      found.forEach(row -> rows.add(project(items, new RowScope(table, alias, row.row()))));
    }
    List<List<Object>> kept = window(rows);
    return new Result.Rows(ResultColumns.of(table, items, kept, values), kept);
  }

  /** The result's columns, without running it. */
  List<ResultColumn> describe(TableInfo table, String alias) {
    return ResultColumns.of(
        table, table == null ? select.items() : items(table, alias), List.of(), values);
  }

  private List<SelectItem> items(TableInfo table, String alias) {
    List<SelectItem> out = new ArrayList<>();
    for (SelectItem item : select.items()) {
      if (!item.star()) {
        Expressions.checkColumns(item.value(), table, alias, "field list");
        out.add(item);
        continue;
      }
      for (Column column : table.publicColumns()) {
        out.add(new SelectItem(new Expr.ColumnRef("", column.name()), "", false));
      }
    }
    Expressions.checkColumns(select.where(), table, alias, "where clause");
    return out;
  }

  private List<StoredRow> find(
      TableInfo table, String alias, Transaction transaction, boolean aggregate)
      throws InterruptedException {
    Optional<IndexInfo> index = hintedIndex(table);
    AccessPath path =
        index.isPresent()
            ? AccessPath.through(index.get(), table, select.where(), values)
            : AccessPath.of(table, select.where(), values);
    boolean covering = index.isPresent() && isCovered(table, index.get());
    boolean all = aggregate || select.distinct() || !select.orderBy().isEmpty();
    long enough = all ? Long.MAX_VALUE : saturatedSum(offset(), limit());
    RowCursor cursor = new RowCursor(transaction.store(), table, path, covering);
    List<StoredRow> found = new ArrayList<>();
    while (found.size() < enough) {
      Optional<StoredRow> next = cursor.next();
      if (next.isEmpty()) {
        break;
      }
      if (values.holds(select.where(), new RowScope(table, alias, next.get().row()))) {
        found.add(next.get());
      }
    }
    if (select.forUpdate()) {
      lock(table, transaction, path, found);
    }
    return found;
  }

  private void lock(
      TableInfo table, Transaction transaction, AccessPath path, List<StoredRow> found) {
    List<String> keys =
        path instanceof AccessPath.Points points
            ? points.keys()
            : found.stream().map(StoredRow::key).toList();
    StatementWrites locks = new StatementWrites(transaction.store());
    keys.forEach(key -> locks.lock(Keys.row(table.id(), key)));
    transaction.apply(locks);
  }

  private Optional<IndexInfo> hintedIndex(TableInfo table) {
    if (select.index().isEmpty() || select.index().equalsIgnoreCase("PRIMARY")) {
      return Optional.empty();
    }
    Optional<IndexInfo> index = table.index(select.index());
    if (index.isEmpty() || !index.get().state().isPublic()) {
      throw SqlError.NO_SUCH_INDEX.with(
          "Key '%s' doesn't exist in table '%s'", select.index(), table.name());
    }
    return index;
  }

  private boolean isCovered(TableInfo table, IndexInfo index) {
    boolean[] covered = {!select.forUpdate()};
    List<Expr> all = new ArrayList<>();
    select.items().forEach(i -> all.add(i.value()));
    select.orderBy().forEach(o -> all.add(o.value()));
    all.add(select.where());
    for (SelectItem item : select.items()) {
      covered[0] &=
          !item.star()
              || table.publicColumns().stream().allMatch(c -> IndexEntry.holds(table, index, c));
    }
    for (Expr e : all) {
      Expressions.walk(
          e,
          part -> {
            if (part instanceof Expr.ColumnRef reference) {
              Optional<Column> column = table.column(reference.name());
              covered[0] &= column.isEmpty() || IndexEntry.holds(table, index, column.get());
            }
          });
    }
    return covered[0];
  }

  private List<Object> project(List<SelectItem> items, RowScope scope) {
    List<Object> row = new ArrayList<>();
    items.forEach(item -> row.add(values.eval(item.value(), scope)));
    return row;
  }

  private void sort(
      TableInfo table, String alias, List<SelectItem> items, List<StoredRow> found) {
    Comparator<StoredRow> order = null;
    for (OrderBy key : select.orderBy()) {
      Expr value = sortKey(key.value(), table, alias, items);
      Comparator<StoredRow> next =
          Comparator.comparing(
              (StoredRow row) -> values.eval(value, new RowScope(table, alias, row.row())),
              Comparator.nullsFirst(Values::compare));
      next = key.descending() ? next.reversed() : next;
      order = order == null ? next : order.thenComparing(next);
    }
    if (order != null) {
      found.sort(order);
    }
  }

  /** A sort key may be the number or the alias of an item. */
  private Expr sortKey(Expr key, TableInfo table, String alias, List<SelectItem> items) {
    if (key instanceof Expr.Parameter && values.constant(key) instanceof Long position) {
      if (position < 1 || position > items.size()) {
        throw SqlError.UNKNOWN_COLUMN.with(
            "Unknown column '%d' in '%s'", position, "order clause");
      }
      return items.get(position.intValue() - 1).value();
    }
    if (key instanceof Expr.ColumnRef reference && reference.qualifier().isEmpty()) {
      for (SelectItem item : items) {
        if (item.alias().equalsIgnoreCase(reference.name())) {
          return item.value();
        }
      }
    }
    Expressions.checkColumns(key, table, alias, "order clause");
    return key;
  }

  private List<List<Object>> window(List<List<Object>> rows) {
    List<List<Object>> distinct =
        select.distinct() ? new ArrayList<>(new LinkedHashSet<>(rows)) : rows;
    int from = (int) Math.min(offset(), distinct.size());
    int to = (int) Math.min(saturatedSum(from, limit()), distinct.size());
    return distinct.subList(from, to);
  }

  private long limit() {
    return select.limit() == null ? Long.MAX_VALUE : count(values, select.limit());
  }

  private long offset() {
    return select.offset() == null ? 0 : count(values, select.offset());
  }

  private static long saturatedSum(long a, long b) {
    return a + b < 0 ? Long.MAX_VALUE : a + b;
  }

  /** The value of a LIMIT. */
  static long count(Evaluator values, Expr e) {
    Object value = values.constant(e);
    if (!Values.isInteger(value) || Values.big(value).signum() < 0) {
      throw SqlError.WRONG_ARGUMENTS.with("Incorrect arguments to LIMIT");
    }
    return value instanceof Long n ? n : Long.MAX_VALUE;
  }
}
