package interregnum.check.search;

import interregnum.check.model.Call;
import interregnum.check.model.Effect;
import interregnum.check.model.Inconsistent;
import interregnum.check.model.Model;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The step function of a model over small numbers instead of objects, computed once per state and
 * class of calls.
 *
 * <p>If few states are reachable, all of them are found at once; what a class of calls can do is
 * then known exactly. Otherwise steps are computed when they are asked for. Not thread-safe.
 */
final class Transitions {

  static final int IMPOSSIBLE = -1;
  private static final int UNKNOWN = -2;
  private static final int STATES_MAX = 1024;
  private static final int STEPS_MAX = 400_000;

  private final Model model;
  private final Call[] classes;
  private final Effect[] effects;
  private final Stop stop;
  private final List<Object> states = new ArrayList<>();
  private final Map<Object, Integer> numbers = new HashMap<>();
  private int[][] table;
  private StepCache cache;

  Transitions(Model model, List<Problem.Start> starts, Call[] classes, Stop stop) {
    this.model = model;
    this.classes = classes;
    this.stop = stop;
    this.effects = new Effect[classes.length];
    starts.forEach(start -> number(start.state()));
    if (model.fewStates() && close(starts)) {
      for (int c = 0; c < classes.length; c++) {
        effects[c] = observedEffect(table[c]);
      }
    } else {
      cache = new StepCache();
      for (int c = 0; c < classes.length; c++) {
        effects[c] = model.effect(classes[c]);
      }
    }
  }

  /** Explores all reachable states; false if there are too many. */
  private boolean close(List<Problem.Start> starts) {
    int statesMax = Math.min(STATES_MAX, STEPS_MAX / Math.max(1, classes.length));
    int[][] found = new int[classes.length][16];
    for (int s = 0; s < states.size(); s++) {
      if (states.size() > statesMax) {
        states.clear();
        numbers.clear();
        starts.forEach(start -> number(start.state()));
        return false;
      }
      stop.check();
      for (int c = 0; c < classes.length; c++) {
        if (s == found[c].length) {
          found[c] = Arrays.copyOf(found[c], 2 * s);
        }
        found[c][s] = compute(c, s);
      }
    }
    for (int c = 0; c < classes.length; c++) {
      found[c] = Arrays.copyOf(found[c], states.size());
    }
    table = found;
    return true;
  }

  private Effect observedEffect(int[] row) {
    boolean read = true;
    boolean overwrite = true;
    for (int s = 0; s < row.length; s++) {
      read &= row[s] == IMPOSSIBLE || row[s] == s;
      overwrite &= row[s] != IMPOSSIBLE && row[s] == row[0];
    }
    return read ? Effect.READ : overwrite ? Effect.OVERWRITE : Effect.UPDATE;
  }

  private int number(Object state) {
    Integer known = numbers.putIfAbsent(state, states.size());
    if (known == null) {
      states.add(state);
      return states.size() - 1;
    }
    return known;
  }

  private int compute(int c, int s) {
    Object state = states.get(s);
    Object after;
    try {
      after = model.step(state, classes[c]);
    } catch (Exception | StackOverflowError | AssertionError e) {
      stop.check();
      throw new ModelException(model.name(), state, classes[c], e);
    }
    return after instanceof Inconsistent ? IMPOSSIBLE : number(after);
  }

  /** Returns the state after the call, or {@link #IMPOSSIBLE}. */
  int step(int c, int s) {
    if (table != null) {
      return table[c][s];
    }
    int known = cache.get(c, s);
    if (known == UNKNOWN) {
      known = compute(c, s);
      cache.put(c, s, known);
    }
    return known;
  }

  /** Why the call is impossible in the state. */
  String complaint(int c, int s) {
    Object after = model.step(states.get(s), classes[c]);
    return after instanceof Inconsistent i ? i.message() : "";
  }

  /** Whether all states are known. */
  boolean closed() {
    return table != null;
  }

  /** Number of states met so far. */
  int stateCount() {
    return states.size();
  }

  Object state(int s) {
    return states.get(s);
  }

  Effect effect(int c) {
    return effects[c];
  }

  /**
   * Whether the second class does nothing that the first cannot do as well: wherever it is possible
   * both lead to the same state. Only known if all states are.
   */
  boolean covers(int strong, int weak) {
    if (table == null || strong == weak) {
      return false;
    }
    for (int s = 0; s < states.size(); s++) {
      if (table[weak][s] != IMPOSSIBLE && table[weak][s] != table[strong][s]) {
        return false;
      }
    }
    return true;
  }

  /** Forgets all states but the given ones and returns their new numbers, by old number. */
  Map<Integer, Integer> keepOnly(Iterable<Integer> kept) {
    List<Object> old = new ArrayList<>(states);
    states.clear();
    numbers.clear();
    cache = new StepCache();
    Map<Integer, Integer> renumbered = new HashMap<>();
    for (int s : kept) {
      renumbered.computeIfAbsent(s, n -> number(old.get(n)));
    }
    return renumbered;
  }

  /** A hash table from (class, state) to state. */
  private static final class StepCache {
    private long[] keys = new long[1024];
    private int[] values = new int[1024];
    private int size;

    StepCache() {
      Arrays.fill(keys, -1);
    }

    private int slot(long key) {
      int mask = keys.length - 1;
      int i = (int) (key * 0x9E3779B97F4A7C15L >>> 32) & mask;
      while (keys[i] != key && keys[i] != -1) {
        i = (i + 1) & mask;
      }
      return i;
    }

    int get(int c, int s) {
      int i = slot((long) c << 32 | s);
      return keys[i] == -1 ? UNKNOWN : values[i];
    }

    void put(int c, int s, int value) {
      if (2 * size > keys.length) {
        grow();
      }
      long key = (long) c << 32 | s;
      int i = slot(key);
      keys[i] = key;
      values[i] = value;
      size++;
    }

    private void grow() {
      long[] oldKeys = keys;
      int[] oldValues = values;
      keys = new long[2 * oldKeys.length];
      values = new int[keys.length];
      Arrays.fill(keys, -1);
      for (int i = 0; i < oldKeys.length; i++) {
        if (oldKeys[i] != -1) {
          int to = slot(oldKeys[i]);
          keys[to] = oldKeys[i];
          values[to] = oldValues[i];
        }
      }
    }
  }
}
