package interregnum.sql.parser;

import interregnum.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A statement and the values of its literals, ready to be given those of its parameters. */
public final class ParsedStatement {

  private final Statement statement;
  private final List<Object> slots;
  private final int parameterCount;

  ParsedStatement(Statement statement, List<Object> slots) {
    this.statement = statement;
    this.slots = slots;
    this.parameterCount = (int) slots.stream().filter(s -> s == Template.PLACEHOLDER).count();
  }

  public Statement statement() {
    return statement;
  }

  /** How many values the client has to give. */
  public int parameterCount() {
    return parameterCount;
  }

  /** The values of the statement's {@code Expr.Parameter}s, given the client's in order. */
  public List<Object> bind(List<Object> parameters) {
    List<Object> bound = new ArrayList<>(slots);
    int next = 0;
    for (int i = 0; i < bound.size(); i++) {
      if (bound.get(i) == Template.PLACEHOLDER) {
        bound.set(i, parameters.get(next++));
      }
    }
    return bound;
  }
}
