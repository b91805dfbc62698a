/**
 * Decides whether histories are linearizable: {@link interregnum.check.Linearizability} takes a
 * model, a recorded history and a budget, and answers with a {@link interregnum.check.Result}.
 *
 * <p>Depends on nothing but Clojure's data structures.
 */
package interregnum.check;
