package interregnum.sql.exec;

import interregnum.error.SqlError;
import interregnum.sql.Expr;
import interregnum.sql.Statement.SelectItem;
import interregnum.sql.Values;
import interregnum.table.TableInfo;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/** Computes a SELECT list that has aggregates: one row from all rows. */
final class Aggregation {

  private final TableInfo table;
  private final String alias;
  private final Evaluator values;

  Aggregation(TableInfo table, String alias, Evaluator values) {
    this.table = table;
    this.alias = alias;
    this.values = values;
  }

  List<Object> row(List<SelectItem> items, List<StoredRow> rows) {
    List<Object> out = new ArrayList<>();
    for (SelectItem item : items) {
      Expr folded = fold(item.value(), rows);
      if (Expressions.hasColumn(folded)) {
        throw SqlError.NOT_SUPPORTED.with(
            "This version doesn't yet support 'columns beside aggregates'");
      }
      out.add(values.constant(folded));
    }
    return out;
  }

  /** The expression with its aggregates replaced by their values. */
  private Expr fold(Expr e, List<StoredRow> rows) {
    if (e instanceof Expr.Call call && Expressions.isAggregate(call)) {
      return new Expr.Literal(aggregate(call, rows));
    } else if (e instanceof Expr.Binary b) {
      return new Expr.Binary(b.operator(), fold(b.left(), rows), fold(b.right(), rows));
    } else if (e instanceof Expr.Negate n) {
      return new Expr.Negate(fold(n.operand(), rows));
    } else if (e instanceof Expr.Call call) {
      List<Expr> arguments = call.arguments().stream().map(a -> fold(a, rows)).toList();
      return new Expr.Call(call.name(), arguments, call.star(), call.distinct());
    }
    return e;
  }

  private Object aggregate(Expr.Call call, List<StoredRow> rows) {
    if (call.star()) {
      return (long) rows.size();
    }
    if (call.arguments().size() != 1) {
      throw SqlError.NOT_SUPPORTED.with(
          "This version doesn't yet support '%s of several columns'", call.name());
    }
    List<Object> present = new ArrayList<>();
    for (StoredRow row : rows) {
      Object value = values.eval(call.arguments().get(0), new RowScope(table, alias, row.row()));
      if (value != null) {
        present.add(value);
      }
    }
    if (call.distinct()) {
      present = new ArrayList<>(new LinkedHashSet<>(present));
    }
    return reduce(call.name(), present);
  }

  private static Object reduce(String name, List<Object> present) {
    if (name.equals("count")) {
      return (long) present.size();
    }
    if (present.isEmpty()) {
      return null;
    }
    return switch (name) {
      case "max" -> present.stream().max(Values::compare).get();
      case "min" -> present.stream().min(Values::compare).get();
      case "sum" -> sum(present);
      default -> Values.toDouble(sum(present)) / present.size();
    };
  }

  private static Object sum(List<Object> numbers) {
    if (numbers.stream().allMatch(Values::isInteger)) {
      return Values.normal(
          numbers.stream().map(Values::big).reduce(BigInteger.ZERO, BigInteger::add));
    }
    return numbers.stream().mapToDouble(Values::toDouble).sum();
  }
}
