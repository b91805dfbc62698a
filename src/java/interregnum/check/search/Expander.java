package interregnum.check.search;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Finds the configurations that are one operation ahead of a given one.
 *
 * <p>Four rules keep them few without losing any that matters. Of equal open operations only the
 * one that completes first is tried, and a crashed one only if none is open. A crashed operation is
 * not tried where a weaker crashed one does the same. Operations that change nothing are taken as
 * soon as they are possible. And an operation is not tried that only leads to another state, where
 * nothing becomes possible but to overwrite that state.
 */
final class Expander {

  private static final int COST_OF_LAST = 64;

  private final Problem problem;
  private final Transitions transitions;
  private OpenOperations open;
  private boolean hasty;
  private boolean lossy;
  private long goal;
  private long[] possibleReads = new long[64];
  private long[] possibleUpdates = new long[64];
  private boolean[] crashedUpdates = new boolean[64];
  private boolean[] known = new boolean[64];
  private boolean[] updatesKnown = new boolean[64];

  Expander(Problem problem) {
    this.problem = problem;
    this.transitions = problem.transitions;
  }

  /**
   * Sets the open operations; must be called again whenever they change.
   *
   * @param goalBit the operation that has to be done in the end, or 0 to find every state
   * @param inHaste whether to disregard what crashed operations make possible after others
   */
  void at(OpenOperations now, long goalBit, boolean inHaste) {
    open = now;
    goal = goalBit;
    hasty = inHaste;
    Arrays.fill(known, false);
    Arrays.fill(updatesKnown, false);
  }

  /** Whether anything was ever disregarded. */
  boolean lossy() {
    return lossy;
  }

  private void makeRoom(int state) {
    if (state >= known.length) {
      int length = Math.max(state + 1, 2 * known.length);
      known = Arrays.copyOf(known, length);
      updatesKnown = Arrays.copyOf(updatesKnown, length);
      possibleReads = Arrays.copyOf(possibleReads, length);
      possibleUpdates = Arrays.copyOf(possibleUpdates, length);
      crashedUpdates = Arrays.copyOf(crashedUpdates, length);
    }
  }

  /** The open operations that change nothing and are possible in the state. */
  long possibleReads(int state) {
    makeRoom(state);
    if (!known[state]) {
      long possible = 0;
      for (long rest = open.reads; rest != 0; rest &= rest - 1) {
        int slot = Long.numberOfTrailingZeros(rest);
        if (transitions.step(open.classOf[slot], state) == state) {
          possible |= 1L << slot;
        }
      }
      possibleReads[state] = possible;
      known[state] = true;
    }
    return possibleReads[state];
  }

  /** Passes every configuration one operation ahead of {@code config} to {@code to}. */
  void expand(Config config, Consumer<Config> to) {
    long waiting = open.open & ~open.reads & ~config.taken;
    for (long rest = waiting; rest != 0; rest &= rest - 1) {
      int slot = Long.numberOfTrailingZeros(rest);
      long better = open.earlier[slot] & waiting & ~(config.excused & ~open.overwrites);
      if (better == 0) {
        take(config, slot, to);
      }
    }
    for (int i = 0; i < open.crashedClassCount; i++) {
      takeCrashed(config, open.crashedClasses[i], waiting, to);
    }
  }

  private void take(Config config, int slot, Consumer<Config> to) {
    int c = open.classOf[slot];
    int state = transitions.step(c, config.state);
    if (state == Transitions.IMPOSSIBLE) {
      return;
    }
    long bit = 1L << slot;
    long taken = config.taken | bit;
    long excused = config.excused & ~bit;
    if (problem.overwrites(c)) {
      excused |= open.overwrites & ~taken;
    }
    taken |= possibleReads(state);
    if (!problem.overwrites(c) || isOfUse(config, state, taken, excused)) {
      to.accept(new Config(state, taken, excused, config.used, config.cost));
    }
  }

  private void takeCrashed(Config config, int c, long waiting, Consumer<Config> to) {
    if (!available(config, c)) {
      return;
    }
    int state = transitions.step(c, config.state);
    if (state == Transitions.IMPOSSIBLE) {
      return;
    }
    boolean overwrites = problem.overwrites(c);
    long newlyExcused = overwrites ? open.overwrites & ~config.taken & ~config.excused : 0;
    if (state == config.state && newlyExcused == 0) {
      return;
    }
    for (long rest = waiting; rest != 0; rest &= rest - 1) {
      if (open.classOf[Long.numberOfTrailingZeros(rest)] == c) {
        return;
      }
    }
    if (newlyExcused == 0) {
      for (int weak : problem.weaker(c)) {
        if (available(config, weak) && transitions.step(weak, config.state) == state) {
          return;
        }
      }
    }
    Config child =
        new Config(
            state,
            config.taken | possibleReads(state),
            config.excused | newlyExcused,
            config.used,
            config.cost);
    if (!isOfUse(config, state, child.taken, child.excused)) {
      return;
    }
    if (open.crashed[c] != OpenOperations.UNLIMITED) {
      child.cost += 1 + COST_OF_LAST / (open.crashed[c] - config.used(c));
      child.used = config.usedWith(c);
    }
    to.accept(child);
  }

  /**
   * Whether a step that only changes the state reaches the goal, makes reads possible, or leads to
   * a state from which updates go on.
   */
  private boolean isOfUse(Config from, int state, long taken, long excused) {
    if (goal == 0
        || !transitions.closed()
        || ((taken | excused) & goal) != 0
        || (taken & ~from.taken & open.reads) != 0) {
      return true;
    }
    if (!updatesKnown[state]) {
      findUpdates(state);
    }
    if ((possibleUpdates[state] & ~taken) != 0) {
      return true;
    }
    lossy |= hasty && crashedUpdates[state];
    return !hasty && crashedUpdates[state];
  }

  private void findUpdates(int state) {
    long possible = 0;
    for (long rest = open.open & ~open.reads & ~open.overwrites; rest != 0; rest &= rest - 1) {
      int slot = Long.numberOfTrailingZeros(rest);
      if (transitions.step(open.classOf[slot], state) != Transitions.IMPOSSIBLE) {
        possible |= 1L << slot;
      }
    }
    boolean crashed = false;
    for (int i = 0; i < open.crashedClassCount; i++) {
      int c = open.crashedClasses[i];
      int after = problem.overwrites(c) ? state : transitions.step(c, state);
      crashed |= after != Transitions.IMPOSSIBLE && after != state;
    }
    possibleUpdates[state] = possible;
    crashedUpdates[state] = crashed;
    updatesKnown[state] = true;
  }

  private boolean available(Config config, int c) {
    int count = open.crashed[c];
    return count == OpenOperations.UNLIMITED || count > 0 && config.used(c) < count;
  }
}
