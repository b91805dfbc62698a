package interregnum.check.search;

import java.util.Arrays;
import java.util.Comparator;

/**
 * All configurations, or the most promising ones, that are possible at one moment of a history, and
 * how they move on with its events (just-in-time linearization: an operation is only ordered when
 * one completes that has to be).
 */
final class Frontier {

  /** How many configurations to look at before an operation completes, per one that is kept. */
  private static final long STEPS = 64;

  private static final long STEPS_IN_HASTE = 2;

  private final Problem problem;
  private final Expander expander;
  private final ConfigSet next = new ConfigSet();
  private final ConfigSet waiting = new ConfigSet();

  private OpenOperations open;
  private Config[] configs;
  private int position;
  private boolean byCost;
  private boolean truncated;
  private int widest;

  /** Creates the frontier before the first event. */
  Frontier(Problem problem, int plenty) {
    this(
        problem,
        new OpenOperations(problem, plenty),
        starts(problem.startCount),
        0);
  }

  private static Config[] starts(int count) {
    Config[] configs = new Config[count];
    for (int s = 0; s < count; s++) {
      configs[s] = new Config(s, 0, 0, Config.NONE, 0);
    }
    return configs;
  }

  private Frontier(Problem problem, OpenOperations open, Config[] configs, int position) {
    this.problem = problem;
    this.expander = new Expander(problem);
    this.open = open;
    this.configs = configs;
    this.position = position;
  }

  /**
   * Returns a frontier at least as large as the true one before the event at {@code position}: any
   * state is possible, and operations open there may have taken effect or not. Needs a problem all
   * of whose states are known.
   */
  static Frontier anything(Problem problem, int position, int plenty) {
    OpenOperations open = new OpenOperations(problem, plenty);
    for (int i = 0; i < position; i++) {
      int op = problem.events[i] >> 1;
      if ((problem.events[i] & 1) == 1) {
        open.close(open.slot(op));
      } else if (problem.history.crashed(op)) {
        open.crash(problem.classOf[op]);
      } else {
        open.open(op);
      }
    }
    Config[] configs = new Config[problem.transitions.stateCount()];
    for (int s = 0; s < configs.length; s++) {
      configs[s] = new Config(s, open.reads, open.open & ~open.reads, Config.NONE, 0);
    }
    return new Frontier(problem, open, configs, position);
  }

  /** Returns a frontier that moves on independently of this one. */
  Frontier copy() {
    Config[] copies = new Config[configs.length];
    for (int i = 0; i < copies.length; i++) {
      copies[i] = configs[i].copy();
    }
    Frontier copy = new Frontier(problem, open.copy(), copies, position);
    copy.truncated = truncated();
    return copy;
  }

  int position() {
    return position;
  }

  Config[] configs() {
    return configs;
  }

  OpenOperations open() {
    return open;
  }

  /** Configurations that come about before the next completion, at most about {@code max}. */
  Config[] reachable(int max) {
    expander.at(open, 0, false);
    waiting.reset(open, false);
    for (Config config : configs) {
      waiting.add(config.copy());
    }
    for (int i = 0; i < waiting.added() && waiting.added() < max; i++) {
      if (waiting.member(i) != null) {
        expander.expand(waiting.member(i), waiting::add);
      }
    }
    return waiting.toArray();
  }

  /** Whether configurations were dropped that no other one dominates. */
  boolean truncated() {
    return truncated || next.lossy() || waiting.lossy() || expander.lossy();
  }

  /** The greatest number of configurations so far. */
  int widest() {
    return widest;
  }

  /**
   * Moves past the next event.
   *
   * @param width how many configurations to keep at most
   * @param cheapest whether to keep only the cheapest of the configurations that differ in the
   *     crashed operations that they used
   * @return false if no configuration survives; the frontier then stays before the event
   */
  boolean advance(int width, boolean cheapest) {
    byCost = cheapest;
    int event = problem.events[position];
    int op = event >> 1;
    if ((event & 1) == 1) {
      if (!complete(op, width)) {
        return false;
      }
    } else if (problem.history.crashed(op)) {
      int c = problem.classOf[op];
      if (open.crash(c)) {
        forget(c);
      }
    } else {
      invoke(op);
    }
    position++;
    widest = Math.max(widest, configs.length);
    return true;
  }

  private void forget(int c) {
    boolean changed = false;
    for (Config config : configs) {
      int count = config.used(c);
      if (count > 0) {
        config.used = Config.lowered(config.used, c, count);
        changed = true;
      }
    }
    if (changed) {
      settle();
    }
  }

  private void invoke(int op) {
    int slot = open.open(op);
    int c = open.classOf[slot];
    if (problem.reads(c)) {
      for (Config config : configs) {
        if (problem.transitions.step(c, config.state) == config.state) {
          config.taken |= 1L << slot;
        }
      }
    }
  }

  private boolean complete(int op, int width) {
    int slot = open.slot(op);
    long bit = 1L << slot;
    int taken = 0;
    for (Config config : configs) {
      taken += (config.taken & bit) == 0 ? 0 : 1;
    }
    boolean alike = taken == configs.length;
    if (!alike && !linearize(bit, width)) {
      return false;
    }
    open.close(slot);
    for (Config config : configs) {
      config.taken &= ~bit;
      config.excused &= ~bit;
    }
    if (!alike) {
      settle();
      if (configs.length > width) {
        truncate(width);
      }
    }
    return true;
  }

  /** Replaces the configurations by those in which the operation with the given bit is done. */
  private boolean linearize(long bit, int width) {
    expander.at(open, bit, byCost);
    next.reset(open, byCost);
    waiting.reset(open, byCost);
    for (Config config : configs) {
      place(config, bit);
    }
    long stepsMax =
        width == Integer.MAX_VALUE ? Long.MAX_VALUE : (byCost ? STEPS_IN_HASTE : STEPS) * width;
    for (int i = 0; i < waiting.added(); i++) {
      Config config = waiting.member(i);
      if (config != null) {
        expander.expand(config, child -> place(child, bit));
      }
      if ((i & 255) == 255) {
        problem.stop.check();
      }
      if (i > stepsMax) {
        truncated = true;
        break;
      }
    }
    if (next.size() == 0) {
      return false;
    }
    configs = next.toArray();
    return true;
  }

  /** An excused operation may stay without effect or have one at this last moment. */
  private void place(Config config, long bit) {
    if ((config.taken & bit) != 0) {
      next.add(config);
    } else if (waiting.add(config) && (config.excused & bit) != 0) {
      next.add(config.copy());
    }
  }

  /** Drops dominated configurations. */
  private void settle() {
    next.reset(open, byCost);
    for (Config config : configs) {
      next.add(config);
    }
    configs = next.toArray();
  }

  /** Keeps the most promising configurations, from every state in turn. */
  private void truncate(int width) {
    truncated = true;
    Arrays.sort(configs, Comparator.comparingInt(this::cost));
    int[] rank = new int[problem.transitions.stateCount()];
    long[] order = new long[configs.length];
    for (int i = 0; i < order.length; i++) {
      order[i] = (long) rank[configs[i].state]++ << 32 | i;
    }
    Arrays.sort(order);
    Config[] best = new Config[width];
    for (int i = 0; i < width; i++) {
      best[i] = configs[(int) order[i]];
    }
    configs = best;
  }

  private int cost(Config config) {
    long spent = config.taken & ~open.reads;
    long missing = open.reads & ~config.taken;
    return config.cost + 2 * Long.bitCount(spent) + Long.bitCount(missing);
  }
}
