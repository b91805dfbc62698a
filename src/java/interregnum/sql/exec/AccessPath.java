package interregnum.sql.exec;

import interregnum.error.SqlException;
import interregnum.sql.Expr;
import interregnum.sql.Expr.Operator;
import interregnum.sql.Values;
import interregnum.table.Column;
import interregnum.table.IndexInfo;
import interregnum.table.Keys;
import interregnum.table.TableInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Where to look for the rows that a condition may hold for. Finds at least those; the condition is
 * tried on each row found.
 */
sealed interface AccessPath {

  /** Rows with these encoded keys, in order. */
  record Points(List<String> keys) implements AccessPath {}

  /** Rows that stand in {@code [from, to)} of the store. */
  record Range(String from, String to) implements AccessPath {}

  /** Rows with entries of {@code index} that stand in {@code [from, to)} of the store. */
  record IndexRange(IndexInfo index, String from, String to) implements AccessPath {}

  /** The path for rows of {@code table} where {@code condition} holds. */
  static AccessPath of(TableInfo table, Expr condition, Evaluator values) {
    Bounds bounds = new Bounds(table, Expressions.conjuncts(condition), values);
    String prefix = Keys.rowPrefix(table.id());
    if (table.primaryKey().isEmpty()) {
      return new Range(prefix, Keys.end(prefix));
    }
    List<Object> equal = bounds.equalPrefix(table.primaryKey());
    if (equal.size() == table.primaryKey().size()) {
      return new Points(List.of(Keys.encode(equal)));
    }
    Optional<List<String>> choices = bounds.choices(table.primaryKey());
    return choices.isPresent()
        ? new Points(choices.get())
        : bounds.range(prefix, equal, table.primaryKey());
  }

  /** The path through {@code index}. */
  static AccessPath through(IndexInfo index, TableInfo table, Expr condition, Evaluator values) {
    Bounds bounds = new Bounds(table, Expressions.conjuncts(condition), values);
    String prefix = Keys.indexPrefix(table.id(), index.id());
    Range range = bounds.range(prefix, bounds.equalPrefix(index.columns()), index.columns());
    return new IndexRange(index, range.from(), range.to());
  }

  /** What the conjuncts of a condition say about columns. */
  record Bounds(TableInfo table, List<Expr> conjuncts, Evaluator values) {

    /** Values that the first of {@code columns} must have, as far as they are fixed. */
    List<Object> equalPrefix(List<String> columns) {
      List<Object> out = new ArrayList<>();
      for (String name : columns) {
        Object value = bound(name, Operator.EQUAL, Operator.EQUAL);
        if (value == null) {
          return out;
        }
        out.add(value);
      }
      return out;
    }

    /** The keys that a list of choices for a one-column key allows, in order. */
    Optional<List<String>> choices(List<String> key) {
      if (key.size() != 1) {
        return Optional.empty();
      }
      for (Expr e : conjuncts) {
        if (e instanceof Expr.In in && !in.negated() && isColumn(in.operand(), key.get(0))) {
          TreeSet<String> keys = new TreeSet<>();
          for (Expr choice : in.choices()) {
            Object value = exact(key.get(0), choice);
            if (value == null) {
              return Optional.empty();
            }
            keys.add(Keys.encode(List.of(value)));
          }
          return Optional.of(List.copyOf(keys));
        }
      }
      return Optional.empty();
    }

    /** The range below {@code prefix} of keys that begin with {@code equal}. */
    Range range(String prefix, List<Object> equal, List<String> columns) {
      String base = prefix + Keys.encode(equal) + (equal.isEmpty() ? "" : ",");
      if (!equal.isEmpty() && equal.size() == columns.size()) {
        String exact = prefix + Keys.encode(equal);
        return new Range(exact, exact + "~");
      }
      String next = columns.get(equal.size());
      Object low = bound(next, Operator.GREATER, Operator.GREATER_OR_EQUAL);
      Object high = bound(next, Operator.LESS, Operator.LESS_OR_EQUAL);
      return new Range(
          low == null ? base : base + Keys.encode(List.of(low)),
          high == null ? Keys.end(base) : base + Keys.encode(List.of(high)) + "~");
    }

    private Object bound(String column, Operator one, Operator other) {
      for (Expr e : conjuncts) {
        if (e instanceof Expr.Binary b) {
          if ((b.operator() == one || b.operator() == other) && isColumn(b.left(), column)) {
            return exact(column, b.right());
          }
          Operator turned = turned(b.operator());
          if ((turned == one || turned == other) && isColumn(b.right(), column)) {
            return exact(column, b.left());
          }
        }
      }
      return null;
    }

    private static Operator turned(Operator operator) {
      return switch (operator) {
        case LESS -> Operator.GREATER;
        case LESS_OR_EQUAL -> Operator.GREATER_OR_EQUAL;
        case GREATER -> Operator.LESS;
        case GREATER_OR_EQUAL -> Operator.LESS_OR_EQUAL;
        default -> operator;
      };
    }

    private static boolean isColumn(Expr e, String column) {
      return e instanceof Expr.ColumnRef reference && reference.name().equalsIgnoreCase(column);
    }

    /** The constant in the form that keys of the column have; null if it has none. */
    private Object exact(String columnName, Expr e) {
      Column column = table.column(columnName).orElse(null);
      if (column == null || Expressions.hasColumn(e)) {
        return null;
      }
      Object value = values.constant(e);
      boolean sameFamily =
          Values.isInteger(value) && column.type().kind().isInteger()
              || value instanceof String && column.type().kind().isText()
              || value instanceof Double && !column.type().kind().isText();
      if (value == null || !sameFamily) {
        return null;
      }
      try {
        Object key = Values.coerce(column, value, 1);
        return Values.compare(key, value) == 0 ? key : null;
      } catch (SqlException outOfRange) {
        return null;
      }
    }
  }
}
