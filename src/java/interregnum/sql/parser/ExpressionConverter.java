package interregnum.sql.parser;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.sql.Expr;
import interregnum.sql.Expr.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.BooleanValue;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.JdbcParameter;
import net.sf.jsqlparser.expression.NotExpression;
import net.sf.jsqlparser.expression.NullValue;
import net.sf.jsqlparser.expression.SignedExpression;
import net.sf.jsqlparser.expression.TimeKeyExpression;
import net.sf.jsqlparser.expression.UserVariable;
import net.sf.jsqlparser.expression.operators.relational.Between;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.IsNullExpression;
import net.sf.jsqlparser.expression.operators.relational.LikeExpression;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.select.AllColumns;

/** JSqlParser's expressions as ours. */
final class ExpressionConverter {

  private static final Map<String, Operator> OPERATORS =
      Map.ofEntries(
          Map.entry("AND", Operator.AND),
          Map.entry("OR", Operator.OR),
          Map.entry("XOR", Operator.XOR),
          Map.entry("=", Operator.EQUAL),
          Map.entry("!=", Operator.NOT_EQUAL),
          Map.entry("<>", Operator.NOT_EQUAL),
          Map.entry("<=>", Operator.NULL_SAFE_EQUAL),
          Map.entry("<", Operator.LESS),
          Map.entry("<=", Operator.LESS_OR_EQUAL),
          Map.entry(">", Operator.GREATER),
          Map.entry(">=", Operator.GREATER_OR_EQUAL),
          Map.entry("+", Operator.ADD),
          Map.entry("-", Operator.SUBTRACT),
          Map.entry("*", Operator.MULTIPLY),
          Map.entry("/", Operator.DIVIDE),
          Map.entry("DIV", Operator.INTEGER_DIVIDE),
          Map.entry("%", Operator.MODULO));

  private ExpressionConverter() {}

  /** The same expression; parameters are numbered in the order of the text, from 0. */
  static Expr convert(Expression e) {
    if (e instanceof JdbcParameter p) {
      return new Expr.Parameter(p.getIndex() - 1);
    } else if (e instanceof Column c) {
      return column(c);
    } else if (e instanceof BooleanValue b) {
      return new Expr.Literal(b.getValue() ? 1L : 0L);
    } else if (e instanceof NullValue) {
      return new Expr.Literal(null);
    } else if (e instanceof UserVariable v) {
      return variable(v.toString());
    } else if (e instanceof ParenthesedExpressionList<?> list && list.size() == 1) {
      return convert(list.get(0));
    } else if (e instanceof TimeKeyExpression t) {
      return call(t.getStringValue().replace("()", ""), List.of(), false, false);
    }
    return convertOperation(e);
  }

  private static Expr convertOperation(Expression e) {
    if (e instanceof LikeExpression like) {
      Expr plain =
          new Expr.Binary(
              Operator.LIKE, convert(like.getLeftExpression()), convert(like.getRightExpression()));
      return like.isNot() ? new Expr.Not(plain) : plain;
    } else if (e instanceof BinaryExpression b) {
      return binary(b);
    } else if (e instanceof NotExpression n) {
      return new Expr.Not(convert(n.getExpression()));
    } else if (e instanceof SignedExpression s) {
      Expr operand = convert(s.getExpression());
      return s.getSign() == '-' ? new Expr.Negate(operand) : operand;
    } else if (e instanceof IsNullExpression n) {
      return new Expr.IsNull(convert(n.getLeftExpression()), n.isNot());
    } else if (e instanceof InExpression in) {
      return in(in);
    } else if (e instanceof Between between) {
      return between(between);
    } else if (e instanceof Function f) {
      return function(f);
    }
    throw unsupported(e.toString());
  }

  private static Expr binary(BinaryExpression b) {
    Operator operator = OPERATORS.get(b.getStringExpression().toUpperCase(Locale.ROOT).strip());
    if (operator == null) {
      throw unsupported(b.getStringExpression());
    }
    Expr left = convert(b.getLeftExpression());
    return new Expr.Binary(operator, left, convert(b.getRightExpression()));
  }

  private static Expr in(InExpression in) {
    Expr operand = convert(in.getLeftExpression());
    if (!(in.getRightExpression() instanceof ExpressionList<?> list)) {
      throw unsupported("IN with a subquery");
    }
    List<Expr> choices = new ArrayList<>();
    list.forEach(choice -> choices.add(convert(choice)));
    return new Expr.In(operand, choices, in.isNot());
  }

  private static Expr between(Between between) {
    Expr operand = convert(between.getLeftExpression());
    Expr low = convert(between.getBetweenExpressionStart());
    Expr high = convert(between.getBetweenExpressionEnd());
    Expr inside =
        new Expr.Binary(
            Operator.AND,
            new Expr.Binary(Operator.GREATER_OR_EQUAL, operand, low),
            new Expr.Binary(Operator.LESS_OR_EQUAL, operand, high));
    return between.isNot() ? new Expr.Not(inside) : inside;
  }

  private static Expr function(Function f) {
    List<Expr> arguments = new ArrayList<>();
    boolean star = false;
    if (f.getParameters() != null) {
      for (Expression argument : f.getParameters()) {
        if (argument instanceof AllColumns) {
          star = true;
        } else {
          arguments.add(convert(argument));
        }
      }
    }
    return call(f.getName(), arguments, star, f.isDistinct());
  }

  private static Expr call(String name, List<Expr> arguments, boolean star, boolean distinct) {
    return new Expr.Call(name.toLowerCase(Locale.ROOT), arguments, star, distinct);
  }

  private static Expr column(Column c) {
    String name = unquoted(c.getColumnName());
    if (name.equalsIgnoreCase("default") && c.getTable() == null) {
      return new Expr.Default();
    }
    return new Expr.ColumnRef(
        c.getTable() == null ? "" : unquoted(c.getTable().getName()), name);
  }

  /** A variable from its text: {@code @x}, {@code @@x}, {@code @@session.x}, {@code @@global.x}. */
  static Expr variable(String text) {
    if (!text.startsWith("@@")) {
      return new Expr.UserVariable(text.substring(1).toLowerCase(Locale.ROOT));
    }
    String name = text.substring(2).toLowerCase(Locale.ROOT);
    int dot = name.indexOf('.');
    return dot < 0
        ? new Expr.SystemVariable("", name)
        : new Expr.SystemVariable(name.substring(0, dot), name.substring(dot + 1));
  }

  /** A name without its backticks. */
  static String unquoted(String name) {
    return name.length() > 1 && name.startsWith("`") && name.endsWith("`")
        ? name.substring(1, name.length() - 1).replace("``", "`")
        : name;
  }

  static SqlException unsupported(String what) {
    return SqlError.NOT_SUPPORTED.with("This version doesn't yet support '%s'", what);
  }
}
