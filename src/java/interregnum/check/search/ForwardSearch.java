package interregnum.check.search;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Decides a history with a {@link Frontier}, from below and from above.
 *
 * <p>First a narrow frontier runs ahead that keeps the cheapest configurations only. If it reaches
 * the end, there is an order. If it dies and nothing was ever dropped, there is none. Otherwise the
 * place where it died is examined: a frontier that is at least as large as the true one, started
 * some way before, proves that there is no order if it dies there too; and a wider one, started
 * from a checkpoint, may get past. Both grow until one of them decides.
 */
public final class ForwardSearch {

  private static final int NARROW = 160;
  private static final int NARROW_IF_CLOSED = 32;
  private static final int CHECKPOINT_EVENTS = 256;
  private static final int CHECKPOINTS_MAX = 512;
  private static final int EXAMINED_MAX = 20_000;
  private static final int STATES_KEPT = 50_000;

  private final Problem problem;
  private final Deque<Frontier> checkpoints = new ArrayDeque<>();
  private Frontier frontier;
  private int widthMax = Integer.MAX_VALUE;
  private Supplier<Finding> elsewhere;
  private volatile int reached;

  /** Creates a search that has not begun. */
  public ForwardSearch(Problem problem) {
    this.problem = problem;
  }

  /** Runs until it knows or is asked to stop. */
  public Finding run() {
    return run(Integer.MAX_VALUE);
  }

  /**
   * Runs until it knows, is asked to stop, or would have to keep more than some number of
   * configurations.
   */
  public Finding run(int widthMax) {
    return run(widthMax, () -> null);
  }

  /** Runs until it knows, is asked to stop, or somebody else has a finding. */
  public Finding run(Supplier<Finding> elsewhere) {
    return run(Integer.MAX_VALUE, elsewhere);
  }

  private Finding run(int widthMax, Supplier<Finding> elsewhere) {
    try {
      this.elsewhere = elsewhere;
      this.widthMax = widthMax;
      Finding finding = search();
      return finding != null
          ? finding
          : new Finding.Undecided("more than " + widthMax + " configurations", reachedPosition());
    } catch (Elsewhere e) {
      return elsewhere.get();
    } catch (Stop.Stopped e) {
      return new Finding.Undecided(problem.stop.reason(), reachedPosition());
    } catch (OpenOperations.TooWide e) {
      return new Finding.Undecided(
          "more than " + OpenOperations.SLOTS + " operations open at once", reachedPosition());
    }
  }

  /** Position in the history before which it is known to be linearizable. */
  public int reachedPosition() {
    int n = reached;
    if (n >= problem.events.length) {
      return problem.history.end();
    }
    return positionOf(problem.events[n]);
  }

  private int positionOf(int event) {
    int op = event >> 1;
    return (event & 1) == 0 ? problem.history.invoke(op) : problem.history.complete(op);
  }

  private Finding search() {
    frontier = new Frontier(problem, OpenOperations.UNLIMITED - 1);
    checkpoints.add(frontier.copy());
    int width = problem.closed() ? NARROW_IF_CLOSED : NARROW;
    while (!runTo(problem.events.length, width, true)) {
      if (!frontier.truncated()) {
        return dead(frontier, true);
      }
      Finding finding = examine();
      if (finding != null || frontier == null) {
        return finding;
      }
    }
    return new Finding.Linearizable(states(frontier.configs()));
  }

  /** Moves the frontier on; false if it dies. */
  private boolean runTo(int end, int width, boolean cheapest) {
    while (frontier.position() < end) {
      if (!frontier.advance(width, cheapest)) {
        return false;
      }
      int position = frontier.position();
      reached = Math.max(reached, position);
      if (position % CHECKPOINT_EVENTS == 0) {
        pause();
        if (problem.transitions.stateCount() > STATES_KEPT && !problem.transitions.closed()) {
          compact();
        }
        checkpoints.addLast(frontier.copy());
        if (checkpoints.size() > CHECKPOINTS_MAX) {
          thinOut();
        }
      }
    }
    return true;
  }

  /** Drops every other checkpoint but the first and the newest. */
  private void thinOut() {
    int i = 0;
    int newest = CHECKPOINTS_MAX - CHECKPOINTS_MAX / 8;
    for (var it = checkpoints.iterator(); it.hasNext(); i++) {
      it.next();
      if (i % 2 == 1 && i < newest) {
        it.remove();
      }
    }
  }

  /** Forgets states that no configuration is in; checkpoints go with them. */
  private void compact() {
    checkpoints.clear();
    Set<Integer> used = new LinkedHashSet<>();
    used.add(0);
    for (Config config : frontier.configs()) {
      used.add(config.state);
    }
    var renumbered = problem.transitions.keepOnly(used);
    for (Config config : frontier.configs()) {
      config.state = renumbered.get(config.state);
    }
  }

  /** Finds out whether the history really ends where the frontier died; null if it goes on. */
  private Finding examine() {
    Frontier dead = frontier;
    int end = dead.position() + 1;
    for (int level = 0; ; level++) {
      if (problem.closed() && impossible(end, level)) {
        return dead(dead, false);
      }
      Frontier from = checkpoint(end - (CHECKPOINT_EVENTS << Math.min(level, 20)));
      frontier = from.copy();
      boolean start = from.position() == 0;
      if (level > 0 && 4L * NARROW << 2 * level > widthMax) {
        frontier = null;
        return null;
      }
      int width = level < 12 ? 4 * NARROW << 2 * level : Integer.MAX_VALUE;
      if (runPast(end, width)) {
        return null;
      }
      if (start && !frontier.truncated()) {
        return dead(frontier, true);
      }
      frontier = dead;
    }
  }

  private boolean runPast(int end, int width) {
    checkpoints.removeIf(c -> c.position() > frontier.position());
    return runTo(Math.min(end + CHECKPOINT_EVENTS, problem.events.length), width, false);
  }

  private Frontier checkpoint(int before) {
    Frontier best = checkpoints.peekFirst();
    for (Frontier checkpoint : checkpoints) {
      if (checkpoint.position() <= before) {
        best = checkpoint;
      }
    }
    return best;
  }

  /**
   * Tries to show that no order exists up to {@code end}, from a frontier that is too large. Only
   * where all states are known, as it takes crashed operations as available any number of times.
   */
  private boolean impossible(int end, int level) {
    int length = CHECKPOINT_EVENTS << Math.min(3 * level, 24);
    int plenty = level < 10 ? (1 << 2 * level) - 1 : OpenOperations.UNLIMITED - 1;
    int width = 20_000 << Math.min(level, 16);
    Frontier from = Frontier.anything(problem, Math.max(0, end - length), plenty);
    while (from.position() < end) {
      if (!from.advance(width, false)) {
        return !from.truncated();
      }
      if (from.truncated()) {
        return false;
      }
      if (from.position() % CHECKPOINT_EVENTS == 0) {
        pause();
      }
    }
    return false;
  }

  private void pause() {
    problem.stop.check();
    if (elsewhere.get() != null) {
      throw new Elsewhere();
    }
  }

  /** Unwinds this search once another one has decided. */
  private static final class Elsewhere extends RuntimeException {
    private static final long serialVersionUID = 1;

    Elsewhere() {
      super(null, null, false, false);
    }
  }

  private Finding dead(Frontier at, boolean exact) {
    int operation = problem.events[at.position()] >> 1;
    Config[] before = at.reachable(EXAMINED_MAX);
    boolean all = exact && before.length < EXAMINED_MAX;
    return new Finding.NotLinearizable(operation, states(before), all);
  }

  private List<Object> states(Config[] configs) {
    return Arrays.stream(configs).map(c -> problem.state(c.state)).distinct().toList();
  }
}
