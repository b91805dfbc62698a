package interregnum.check;

import interregnum.check.history.History;
import interregnum.check.model.Model;
import interregnum.check.search.DepthFirstSearch;
import interregnum.check.search.Finding;
import interregnum.check.search.ForwardSearch;
import interregnum.check.search.Problem;
import interregnum.check.search.Stop;

/**
 * A depth-first search on a thread of its own beside a forward search. The first to decide wins; an
 * order found depth first counts, a refutation is left to the forward search, which knows where.
 */
final class Competitor {

  private static final int VISITED_MAX = 1_000_000;

  private final Stop stop = new Stop();
  private final Stop outer;
  private final Thread thread;
  private volatile Finding found;

  Competitor(Model model, History history, Stop outer) {
    this.outer = outer;
    this.thread =
        new Thread(
            () -> {
              try {
                found = new DepthFirstSearch(new Problem(model, history, stop)).run(VISITED_MAX);
              } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                found = new Finding.Undecided("the depth-first search failed: " + e, 0);
              }
            },
            "check depth first");
    thread.setDaemon(true);
  }

  Finding race(ForwardSearch search) {
    thread.start();
    try {
      return search.run(() -> found instanceof Finding.Linearizable ? found : null);
    } finally {
      stop.request(outer.requested() ? outer.reason() : "decided");
    }
  }
}
