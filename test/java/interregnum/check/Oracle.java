package interregnum.check;

import interregnum.check.history.History;
import interregnum.check.model.Inconsistent;
import interregnum.check.model.Model;

/** Decides small histories by trying every order, without any cleverness. */
final class Oracle {

  private final Model model;
  private final History history;

  private Oracle(Model model, History history) {
    this.model = model;
    this.history = history;
  }

  static boolean linearizable(Model model, History history) {
    return new Oracle(model, history).extend(model.initial(), 0);
  }

  /** The position after the first completion that cannot be explained, or -1. */
  static int firstFailure(Model model, History history) {
    for (int end = 0; end <= history.end(); end++) {
      if (!linearizable(model, history.before(end))) {
        return end - 1;
      }
    }
    return -1;
  }

  private boolean extend(Object state, int done) {
    boolean complete = true;
    int limit = History.NEVER;
    for (int i = 0; i < history.size(); i++) {
      if ((done >> i & 1) == 0) {
        complete &= history.crashed(i);
        limit = Math.min(limit, history.complete(i));
      }
    }
    if (complete) {
      return true;
    }
    for (int i = 0; i < history.size(); i++) {
      if ((done >> i & 1) == 0 && history.invoke(i) < limit) {
        Object next = model.step(state, history.call(i));
        if (!(next instanceof Inconsistent) && extend(next, done | 1 << i)) {
          return true;
        }
      }
    }
    return false;
  }
}
