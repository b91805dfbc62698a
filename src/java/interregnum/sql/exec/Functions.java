package interregnum.sql.exec;

import interregnum.sql.Expr;
import java.util.List;

/** What an expression asks its session. */
interface Functions {

  /** The result of a function, by its name in lower case. */
  Object call(String name, List<Object> arguments);

  Object systemVariable(Expr.SystemVariable variable);

  /** A user's variable, null if it was never set. */
  Object userVariable(String name);
}
