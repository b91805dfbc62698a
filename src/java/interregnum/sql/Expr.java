package interregnum.sql;

import java.util.List;

/** An expression. */
public sealed interface Expr {

  /** A value: {@code Long}, {@code BigInteger}, {@code Double}, {@code String}, or null. */
  record Literal(Object value) implements Expr {}

  /** The parameter of this position, counted from 0. */
  record Parameter(int index) implements Expr {}

  /** A column; the qualifier is empty if none was written. */
  record ColumnRef(String qualifier, String name) implements Expr {}

  /** A system variable; the scope is {@code session}, {@code global}, or empty. */
  record SystemVariable(String scope, String name) implements Expr {}

  /** A user's variable. */
  record UserVariable(String name) implements Expr {}

  /** The keyword {@code DEFAULT}. */
  record Default() implements Expr {}

  record Not(Expr operand) implements Expr {}

  record Negate(Expr operand) implements Expr {}

  record IsNull(Expr operand, boolean negated) implements Expr {}

  record In(Expr operand, List<Expr> choices, boolean negated) implements Expr {}

  record Binary(Operator operator, Expr left, Expr right) implements Expr {}

  /** A function, its name in lower case; {@code star} for {@code count(*)}. */
  record Call(String name, List<Expr> arguments, boolean star, boolean distinct)
      implements Expr {}

  /** What stands between two operands. */
  enum Operator {
    AND("and"),
    OR("or"),
    XOR("xor"),
    EQUAL("="),
    NOT_EQUAL("!="),
    NULL_SAFE_EQUAL("<=>"),
    LESS("<"),
    LESS_OR_EQUAL("<="),
    GREATER(">"),
    GREATER_OR_EQUAL(">="),
    LIKE("like"),
    ADD("+"),
    SUBTRACT("-"),
    MULTIPLY("*"),
    DIVIDE("/"),
    INTEGER_DIVIDE("div"),
    MODULO("%");

    private final String sql;

    Operator(String sql) {
      this.sql = sql;
    }

    /** The operator as written. */
    public String sql() {
      return sql;
    }
  }
}
