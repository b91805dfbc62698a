package interregnum.sql.exec;

import interregnum.error.SqlError;
import interregnum.sql.Expr;
import interregnum.sql.Expr.Operator;
import interregnum.sql.Values;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Computes expressions for one execution of a statement. */
final class Evaluator {

  private final Functions functions;
  private final List<Object> parameters;

  Evaluator(Functions functions, List<Object> parameters) {
    this.functions = functions;
    this.parameters = parameters;
  }

  /** The value of an expression that is about no row. */
  Object constant(Expr e) {
    return eval(e, null);
  }

  /** Whether the condition holds for the row; no condition always does. */
  boolean holds(Expr condition, RowScope scope) {
    return condition == null || Values.isTrue(eval(condition, scope));
  }

  /** The value of an expression; {@code scope} is null if it is about no row. */
  Object eval(Expr e, RowScope scope) {
    if (e instanceof Expr.Literal literal) {
      return literal.value();
    } else if (e instanceof Expr.Parameter parameter) {
      return parameters.get(parameter.index());
    } else if (e instanceof Expr.ColumnRef reference) {
      return column(reference, scope);
    } else if (e instanceof Expr.Binary binary) {
      return binary(binary, scope);
    } else if (e instanceof Expr.Not not) {
      Object value = eval(not.operand(), scope);
      return value == null ? null : truth(!Values.isTrue(value));
    } else if (e instanceof Expr.Negate negate) {
      return negated(eval(negate.operand(), scope));
    } else if (e instanceof Expr.IsNull isNull) {
      return truth((eval(isNull.operand(), scope) == null) != isNull.negated());
    } else if (e instanceof Expr.In in) {
      return in(in, scope);
    } else if (e instanceof Expr.Call call) {
      return call(call, scope);
    } else if (e instanceof Expr.SystemVariable variable) {
      return functions.systemVariable(variable);
    } else if (e instanceof Expr.UserVariable variable) {
      return functions.userVariable(variable.name());
    }
    throw SqlError.NOT_SUPPORTED.with("This version doesn't yet support '%s' here", "DEFAULT");
  }

  private static Object column(Expr.ColumnRef reference, RowScope scope) {
    if (scope == null) {
      throw SqlError.UNKNOWN_COLUMN.with(
          "Unknown column '%s' in '%s'", reference.name(), "field list");
    }
    return scope.value(reference);
  }

  private Object call(Expr.Call call, RowScope scope) {
    if (call.name().equals("values") && scope != null && scope.inserted() != null) {
      RowScope inserted = new RowScope(scope.table(), scope.alias(), scope.inserted());
      return eval(call.arguments().get(0), inserted);
    }
    List<Object> arguments = new ArrayList<>();
    for (Expr argument : call.arguments()) {
      arguments.add(eval(argument, scope));
    }
    return functions.call(call.name(), arguments);
  }

  private Object in(Expr.In in, RowScope scope) {
    Object operand = eval(in.operand(), scope);
    boolean sawNull = operand == null;
    for (Expr choice : in.choices()) {
      Object value = eval(choice, scope);
      if (value == null) {
        sawNull = true;
      } else if (operand != null && Values.compare(operand, value) == 0) {
        return truth(!in.negated());
      }
    }
    return sawNull ? null : truth(in.negated());
  }

  private Object binary(Expr.Binary binary, RowScope scope) {
    Object left = eval(binary.left(), scope);
    Operator operator = binary.operator();
    if (operator == Operator.AND || operator == Operator.OR) {
      return logical(operator == Operator.AND, left, binary.right(), scope);
    }
    Object right = eval(binary.right(), scope);
    if (operator == Operator.NULL_SAFE_EQUAL) {
      return truth(
          left == null || right == null ? left == right : Values.compare(left, right) == 0);
    }
    if (left == null || right == null) {
      return null;
    }
    return switch (operator) {
      case EQUAL -> truth(Values.compare(left, right) == 0);
      case NOT_EQUAL -> truth(Values.compare(left, right) != 0);
      case LESS -> truth(Values.compare(left, right) < 0);
      case LESS_OR_EQUAL -> truth(Values.compare(left, right) <= 0);
      case GREATER -> truth(Values.compare(left, right) > 0);
      case GREATER_OR_EQUAL -> truth(Values.compare(left, right) >= 0);
      case XOR -> truth(Values.isTrue(left) != Values.isTrue(right));
      case LIKE -> truth(like(Values.toText(left), Values.toText(right)));
      default -> arithmetic(operator, left, right);
    };
  }

  private Object logical(boolean isAnd, Object left, Expr rightSide, RowScope scope) {
    if (left != null && Values.isTrue(left) != isAnd) {
      return truth(!isAnd);
    }
    Object right = eval(rightSide, scope);
    if (right != null && Values.isTrue(right) != isAnd) {
      return truth(!isAnd);
    }
    return left == null || right == null ? null : truth(isAnd);
  }

  private static Object arithmetic(Operator operator, Object left, Object right) {
    boolean zeroDivisor = Values.toDouble(right) == 0;
    if (Values.isInteger(left) && Values.isInteger(right)) {
      BigInteger a = Values.big(left);
      BigInteger b = Values.big(right);
      switch (operator) {
        case ADD:
          return inRange(a.add(b));
        case SUBTRACT:
          return inRange(a.subtract(b));
        case MULTIPLY:
          return inRange(a.multiply(b));
        case INTEGER_DIVIDE:
          return zeroDivisor ? null : inRange(a.divide(b));
        case MODULO:
          return zeroDivisor ? null : inRange(a.remainder(b));
        default:
          break;
      }
    }
    double a = Values.toDouble(left);
    double b = Values.toDouble(right);
    return switch (operator) {
      case ADD -> a + b;
      case SUBTRACT -> a - b;
      case MULTIPLY -> a * b;
      case DIVIDE -> zeroDivisor ? null : (Object) (a / b);
      case INTEGER_DIVIDE -> zeroDivisor ? null : (Object) (long) (a / b);
      default -> zeroDivisor ? null : (Object) (a % b);
    };
  }

  private static Object inRange(BigInteger n) {
    if (n.bitLength() > 64 || n.signum() < 0 && n.bitLength() > 63) {
      throw SqlError.NUMBER_OVERFLOW.with("BIGINT value is out of range in '%s'", n);
    }
    return Values.normal(n);
  }

  private static Object negated(Object value) {
    if (value == null) {
      return null;
    }
    return Values.isInteger(value)
        ? inRange(Values.big(value).negate())
        : (Object) (-Values.toDouble(value));
  }

  static boolean like(String text, String pattern) {
    StringBuilder regex = new StringBuilder();
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == '\\' && i + 1 < pattern.length()) {
        i++;
        regex.append(Pattern.quote(pattern.substring(i, i + 1)));
      } else if (c == '%') {
        regex.append(".*");
      } else {
        regex.append(c == '_' ? "." : Pattern.quote(String.valueOf(c)));
      }
    }
    int flags = Pattern.DOTALL | Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE;
    return Pattern.compile(regex.toString(), flags).matcher(text).matches();
  }

  private static Object truth(boolean value) {
    return value ? 1L : 0L;
  }
}
