package interregnum.sql.exec;

import interregnum.sql.Expr;
import interregnum.sql.Values;
import interregnum.table.TableInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Questions about expressions that need no row. */
final class Expressions {

  private static final Set<String> AGGREGATES = Set.of("count", "max", "min", "sum", "avg");

  private Expressions() {}

  /** Calls {@code visitor} with the expression and all its parts. */
  static void walk(Expr e, Consumer<Expr> visitor) {
    if (e == null) {
      return;
    }
    visitor.accept(e);
    parts(e).forEach(part -> walk(part, visitor));
  }

  private static List<Expr> parts(Expr e) {
    if (e instanceof Expr.Binary b) {
      return List.of(b.left(), b.right());
    } else if (e instanceof Expr.Not n) {
      return List.of(n.operand());
    } else if (e instanceof Expr.Negate n) {
      return List.of(n.operand());
    } else if (e instanceof Expr.IsNull n) {
      return List.of(n.operand());
    } else if (e instanceof Expr.In in) {
      List<Expr> parts = new ArrayList<>(in.choices());
      parts.add(0, in.operand());
      return parts;
    }
    return e instanceof Expr.Call call ? call.arguments() : List.of();
  }

  /** Requires that every column in the expression exists. */
  static void checkColumns(Expr e, TableInfo table, String alias, String clause) {
    walk(
        e,
        part -> {
          if (part instanceof Expr.ColumnRef reference) {
            RowScope.column(table, alias, reference, clause);
          }
        });
  }

  /** Whether the expression names a column. */
  static boolean hasColumn(Expr e) {
    boolean[] found = {false};
    walk(e, part -> found[0] |= part instanceof Expr.ColumnRef);
    return found[0];
  }

  /** Whether the expression is computed from all rows together. */
  static boolean hasAggregate(Expr e) {
    boolean[] found = {false};
    walk(e, part -> found[0] |= part instanceof Expr.Call call && isAggregate(call));
    return found[0];
  }

  static boolean isAggregate(Expr.Call call) {
    return AGGREGATES.contains(call.name());
  }

  /** The conditions that must all hold for {@code e} to hold. */
  static List<Expr> conjuncts(Expr e) {
    List<Expr> out = new ArrayList<>();
    collectConjuncts(e, out);
    return out;
  }

  private static void collectConjuncts(Expr e, List<Expr> out) {
    if (e instanceof Expr.Binary b && b.operator() == Expr.Operator.AND) {
      collectConjuncts(b.left(), out);
      collectConjuncts(b.right(), out);
    } else if (e != null) {
      out.add(e);
    }
  }

  /** The expression as text, which names a result column without alias. */
  static String label(Expr e, Evaluator values) {
    if (e instanceof Expr.ColumnRef c) {
      return c.name();
    } else if (e instanceof Expr.Parameter || e instanceof Expr.Literal) {
      Object value = values.constant(e);
      return value == null ? "NULL" : Values.toText(value);
    } else if (e instanceof Expr.SystemVariable v) {
      return "@@" + (v.scope().isEmpty() ? "" : v.scope() + ".") + v.name();
    } else if (e instanceof Expr.UserVariable v) {
      return "@" + v.name();
    } else if (e instanceof Expr.Binary b) {
      return label(b.left(), values) + " " + b.operator().sql() + " " + label(b.right(), values);
    } else if (e instanceof Expr.Not n) {
      return "not " + label(n.operand(), values);
    } else if (e instanceof Expr.Negate n) {
      return "-" + label(n.operand(), values);
    } else if (e instanceof Expr.IsNull n) {
      return label(n.operand(), values) + (n.negated() ? " is not null" : " is null");
    } else if (e instanceof Expr.In in) {
      return label(in.operand(), values) + " in (" + labels(in.choices(), values) + ")";
    } else if (e instanceof Expr.Call c) {
      String inside = c.star() ? "*" : labels(c.arguments(), values);
      return c.name() + "(" + (c.distinct() ? "distinct " : "") + inside + ")";
    }
    return "default";
  }

  private static String labels(List<Expr> list, Evaluator values) {
    return list.stream().map(e -> label(e, values)).collect(Collectors.joining(", "));
  }
}
