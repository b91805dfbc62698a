package interregnum.sql.parser;

import static interregnum.sql.parser.ExpressionConverter.convert;
import static interregnum.sql.parser.ExpressionConverter.unquoted;
import static interregnum.sql.parser.ExpressionConverter.unsupported;

import interregnum.sql.Expr;
import interregnum.sql.Statement.Assignment;
import interregnum.sql.Statement.Delete;
import interregnum.sql.Statement.Insert;
import interregnum.sql.Statement.OrderBy;
import interregnum.sql.Statement.Select;
import interregnum.sql.Statement.SelectItem;
import interregnum.sql.Statement.TableRef;
import interregnum.sql.Statement.Update;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.AllTableColumns;
import net.sf.jsqlparser.statement.select.FromItem;
import net.sf.jsqlparser.statement.select.Limit;
import net.sf.jsqlparser.statement.select.OrderByElement;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Values;
import net.sf.jsqlparser.statement.update.UpdateSet;
import net.sf.jsqlparser.statement.upsert.Upsert;
import net.sf.jsqlparser.statement.upsert.UpsertType;

/** JSqlParser's queries and row changes as our statements. */
final class QueryConverter {

  private QueryConverter() {}

  static interregnum.sql.Statement convertStatement(Statement statement) {
    if (statement instanceof PlainSelect select) {
      return select(select);
    } else if (statement instanceof net.sf.jsqlparser.statement.insert.Insert insert) {
      return insert(insert);
    } else if (statement instanceof Upsert upsert && upsert.getUpsertType() == UpsertType.REPLACE) {
      return replace(upsert);
    } else if (statement instanceof Upsert upsert
        && upsert.getUpsertType() == UpsertType.REPLACE_SET) {
      return replace(upsert);
    } else if (statement instanceof net.sf.jsqlparser.statement.update.Update update) {
      return update(update);
    } else if (statement instanceof net.sf.jsqlparser.statement.delete.Delete delete) {
      return delete(delete);
    }
    throw unsupported(statement.getClass().getSimpleName());
  }

  private static Select select(PlainSelect s) {
    refuse(s.getJoins() != null && !s.getJoins().isEmpty(), "JOIN");
    refuse(s.getGroupBy() != null, "GROUP BY");
    refuse(s.getHaving() != null, "HAVING");
    refuse(s.getWithItemsList() != null && !s.getWithItemsList().isEmpty(), "WITH");
    refuse(s.getIntoTables() != null && !s.getIntoTables().isEmpty(), "SELECT INTO");
    List<SelectItem> items = new ArrayList<>();
    s.getSelectItems().forEach(i -> items.add(item(i)));
    Optional<TableRef> table = from(s.getFromItem());
    List<OrderBy> orderBy = new ArrayList<>();
    if (s.getOrderByElements() != null) {
      for (OrderByElement o : s.getOrderByElements()) {
        orderBy.add(new OrderBy(convert(o.getExpression()), !o.isAsc()));
      }
    }
    Limit limit = s.getLimit();
    Expression offset = limit != null ? limit.getOffset() : null;
    if (s.getOffset() != null) {
      offset = s.getOffset().getOffset();
    }
    return new Select(
        items,
        table,
        indexHint(s.getFromItem()),
        orNull(s.getWhere()),
        orderBy,
        rowCount(limit),
        orNull(offset),
        s.getDistinct() != null,
        s.getForMode() != null);
  }

  private static SelectItem item(net.sf.jsqlparser.statement.select.SelectItem<?> item) {
    Expression value = item.getExpression();
    if (value instanceof AllColumns || value instanceof AllTableColumns) {
      return new SelectItem(new Expr.Literal(null), "", true);
    }
    String alias = item.getAlias() == null ? "" : unquoted(item.getAlias().getName());
    return new SelectItem(convert(value), alias, false);
  }

  private static Optional<TableRef> from(FromItem from) {
    if (from == null) {
      return Optional.empty();
    }
    if (!(from instanceof Table table)) {
      throw unsupported("subquery");
    }
    boolean isDual = table.getSchemaName() == null && table.getName().equalsIgnoreCase("dual");
    return isDual ? Optional.empty() : Optional.of(tableRef(table));
  }

  private static String indexHint(FromItem from) {
    if (!(from instanceof Table table) || table.getIndexHint() == null) {
      return "";
    }
    List<String> names = table.getIndexHint().getIndexNames();
    refuse(names.size() != 1, "hints that name several indexes");
    refuse(table.getIndexHint().getAction().equalsIgnoreCase("ignore"), "IGNORE INDEX");
    return unquoted(names.get(0));
  }

  private static Insert insert(net.sf.jsqlparser.statement.insert.Insert i) {
    refuse(i.isModifierIgnore(), "INSERT IGNORE");
    List<Assignment> onDuplicate = assignments(i.getDuplicateUpdateSets());
    TableRef table = tableRef(i.getTable());
    if (i.getSetUpdateSets() != null) {
      return fromAssignments(table, assignments(i.getSetUpdateSets()), onDuplicate, false);
    }
    refuse(!(i.getSelect() instanceof Values), "INSERT ... SELECT");
    return new Insert(table, names(i.getColumns()), rows(i.getValues()), onDuplicate, false);
  }

  private static Insert replace(Upsert u) {
    TableRef table = tableRef(u.getTable());
    if (u.getUpdateSets() != null) {
      return fromAssignments(table, assignments(u.getUpdateSets()), List.of(), true);
    }
    refuse(!(u.getSelect() instanceof Values), "REPLACE ... SELECT");
    return new Insert(table, names(u.getColumns()), rows(u.getValues()), List.of(), true);
  }

  private static Insert fromAssignments(
      TableRef table, List<Assignment> row, List<Assignment> onDuplicate, boolean replace) {
    return new Insert(
        table,
        row.stream().map(Assignment::column).toList(),
        List.of(row.stream().map(Assignment::value).toList()),
        onDuplicate,
        replace);
  }

  private static Update update(net.sf.jsqlparser.statement.update.Update u) {
    refuse(u.getFromItem() != null || u.getStartJoins() != null, "UPDATE of several tables");
    refuse(u.getOrderByElements() != null, "UPDATE ... ORDER BY");
    return new Update(
        tableRef(u.getTable()),
        assignments(u.getUpdateSets()),
        orNull(u.getWhere()),
        rowCount(u.getLimit()));
  }

  private static Delete delete(net.sf.jsqlparser.statement.delete.Delete d) {
    refuse(d.getJoins() != null && !d.getJoins().isEmpty(), "DELETE from several tables");
    refuse(d.getOrderByElements() != null, "DELETE ... ORDER BY");
    return new Delete(tableRef(d.getTable()), orNull(d.getWhere()), rowCount(d.getLimit()));
  }

  private static List<List<Expr>> rows(Values values) {
    List<List<Expr>> rows = new ArrayList<>();
    ExpressionList<?> list = values.getExpressions();
    if (list instanceof ParenthesedExpressionList<?>) {
      rows.add(row(list));
    } else {
      list.forEach(row -> rows.add(row((ExpressionList<?>) row)));
    }
    return rows;
  }

  private static List<Expr> row(ExpressionList<?> list) {
    List<Expr> row = new ArrayList<>();
    list.forEach(value -> row.add(convert(value)));
    return row;
  }

  private static List<Assignment> assignments(List<UpdateSet> sets) {
    List<Assignment> out = new ArrayList<>();
    if (sets != null) {
      for (UpdateSet set : sets) {
        refuse(set.getColumns().size() != 1, "assignment of several columns");
        String column = unquoted(set.getColumns().get(0).getColumnName());
        out.add(new Assignment(column, convert(set.getValues().get(0))));
      }
    }
    return out;
  }

  private static List<String> names(ExpressionList<Column> columns) {
    return columns == null
        ? List.of()
        : columns.stream().map(c -> unquoted(c.getColumnName())).toList();
  }

  private static TableRef tableRef(Table table) {
    String database = table.getSchemaName() == null ? "" : unquoted(table.getSchemaName());
    String alias = table.getAlias() == null ? "" : unquoted(table.getAlias().getName());
    return new TableRef(database, unquoted(table.getName()), alias);
  }

  private static Expr rowCount(Limit limit) {
    return limit == null ? null : orNull(limit.getRowCount());
  }

  private static Expr orNull(Expression e) {
    return e == null ? null : convert(e);
  }

  private static void refuse(boolean present, String what) {
    if (present) {
      throw unsupported(what);
    }
  }
}
