package interregnum.check.model;

import clojure.lang.Keyword;

/** Names of operations, whether a history wrote them as keywords, symbols or strings. */
public final class Names {

  private Names() {}

  /** Returns the name without the colon of a keyword. */
  public static String of(Object name) {
    if (name instanceof Keyword keyword) {
      return keyword.sym.toString();
    }
    return String.valueOf(name);
  }
}
