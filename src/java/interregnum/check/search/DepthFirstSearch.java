package interregnum.check.search;

import interregnum.check.history.History;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The search of Wing, Gong and Lowe: orders operations one after the other, goes back where it
 * finds no next one, and remembers where it has been.
 *
 * <p>Shares nothing with {@link ForwardSearch} but the transitions and the counting of crashed
 * operations, so each can check the other. It finds an order quickly where states are many and
 * conflicts few; it needs memory for every configuration it has visited.
 */
public final class DepthFirstSearch {

  private final Problem problem;
  private final History history;
  private final int[] required;
  private final int[] crashed;
  private final BitSet done = new BitSet();
  private final Set<Key> visited = new HashSet<>();
  private int visitedMax;
  private boolean generous;
  private int first;
  private int furthest;

  private record Key(int first, BitSet done, int state, List<Integer> used) {}

  /** One step of the current order, with what is left to try instead. */
  private static final class Step {
    final int state;
    final int[] used;
    final int[] choices;
    int next;

    Step(int state, int[] used, int[] choices) {
      this.state = state;
      this.used = used;
      this.choices = choices;
    }
  }

  private static final class Full extends RuntimeException {
    private static final long serialVersionUID = 1;

    Full() {
      super(null, null, false, false);
    }
  }

  /** Creates a search that has not begun. */
  public DepthFirstSearch(Problem problem) {
    this.problem = problem;
    this.history = problem.history;
    int[] all = new int[history.size()];
    int[] lost = new int[history.size()];
    int n = 0;
    int m = 0;
    for (int i = 0; i < history.size(); i++) {
      if (!history.crashed(i)) {
        all[n++] = i;
      } else if (!problem.reads(problem.classOf[i])) {
        lost[m++] = i;
      }
    }
    required = Arrays.copyOf(all, n);
    crashed = Arrays.copyOf(lost, m);
  }

  /** Runs until it knows or is asked to stop. */
  public Finding run() {
    return run(Integer.MAX_VALUE);
  }

  /** Runs until it knows, is asked to stop, or would have to remember too many configurations. */
  public Finding run(int visitedMax) {
    return run(visitedMax, false);
  }

  /**
   * Tries to refute the history even if every crashed operation may take effect any number of
   * times, which takes fewer configurations; an order found that way means nothing.
   */
  public boolean refutesGenerously(int visitedMax) {
    return run(visitedMax, true) instanceof Finding.NotLinearizable;
  }

  private Finding run(int visitedMax, boolean generous) {
    this.visitedMax = visitedMax;
    this.generous = generous;
    try {
      for (int s = 0; s < problem.startCount; s++) {
        Finding finding = from(s);
        if (finding != null) {
          return finding;
        }
      }
      return new Finding.NotLinearizable(firstImpossible(), List.of(), false);
    } catch (Full e) {
      return new Finding.Undecided("more than " + visitedMax + " configurations", 0);
    } catch (Stop.Stopped e) {
      return new Finding.Undecided(problem.stop.reason(), 0);
    }
  }

  /** The operation whose completion no order got past. */
  private int firstImpossible() {
    int best = -1;
    for (int op : required) {
      boolean later = history.complete(op) >= furthest;
      if (later && (best < 0 || history.complete(op) < history.complete(best))) {
        best = op;
      }
    }
    return best;
  }

  private Finding from(int start) {
    List<Step> path = new ArrayList<>();
    List<Integer> taken = new ArrayList<>();
    visited.clear();
    done.clear();
    first = 0;
    path.add(new Step(start, Config.NONE, choices()));
    for (int count = 0; !path.isEmpty(); count++) {
      if (first == required.length) {
        return new Finding.Linearizable(
            Collections.singletonList(problem.state(path.get(path.size() - 1).state)));
      }
      if ((count & 255) == 0) {
        problem.stop.check();
        if (visited.size() > visitedMax) {
          throw new Full();
        }
      }
      Step step = path.get(path.size() - 1);
      if (step.next < step.choices.length) {
        tryChoice(step, step.choices[step.next++], path, taken);
      } else {
        path.remove(path.size() - 1);
        if (!taken.isEmpty()) {
          undo(taken.remove(taken.size() - 1));
        }
      }
    }
    return null;
  }

  /** Numbers of required operations, and below zero classes of crashed ones, that may come next. */
  private int[] choices() {
    int end = History.NEVER;
    int[] found = new int[16];
    int n = 0;
    for (int i = first; i < required.length && history.invoke(required[i]) < end; i++) {
      if (!done.get(i)) {
        end = Math.min(end, history.complete(required[i]));
        if (n == found.length) {
          found = Arrays.copyOf(found, 2 * n);
        }
        found[n++] = i;
      }
    }
    furthest = end == History.NEVER ? history.end() : Math.max(furthest, end);
    int limit = end;
    int[] open =
        Arrays.stream(found, 0, n).filter(i -> history.invoke(required[i]) < limit).toArray();
    int[] lost =
        Arrays.stream(crashed)
            .takeWhile(op -> history.invoke(op) < limit)
            .map(op -> -1 - problem.classOf[op])
            .distinct()
            .toArray();
    int[] all = Arrays.copyOf(open, open.length + lost.length);
    System.arraycopy(lost, 0, all, open.length, lost.length);
    return all;
  }

  private void tryChoice(Step step, int choice, List<Step> path, List<Integer> taken) {
    int c = choice >= 0 ? problem.classOf[required[choice]] : -1 - choice;
    int state = problem.transitions.step(c, step.state);
    if (state == Transitions.IMPOSSIBLE || choice < 0 && !available(step, c)) {
      return;
    }
    int[] used = step.used;
    if (choice < 0 && state == step.state) {
      return;
    }
    if (choice < 0 && !generous) {
      Config counts = new Config(0, 0, 0, used, 0);
      used = counts.usedWith(c);
    } else if (choice >= 0) {
      done.set(choice);
      first = done.nextClearBit(first);
    }
    if (visited.add(key(state, used))) {
      path.add(new Step(state, used, choices()));
      taken.add(choice);
    } else {
      undo(choice);
    }
  }

  private Key key(int state, int[] used) {
    List<Integer> counts = Arrays.stream(used).boxed().toList();
    return new Key(first, done.get(first, Math.max(first, done.length())), state, counts);
  }

  private boolean available(Step step, int c) {
    if (generous) {
      return true;
    }
    int end = History.NEVER;
    for (int i = first; i < required.length && history.invoke(required[i]) < end; i++) {
      if (!done.get(i)) {
        end = Math.min(end, history.complete(required[i]));
      }
    }
    int count = 0;
    for (int op : crashed) {
      if (history.invoke(op) > end) {
        break;
      }
      count += problem.classOf[op] == c ? 1 : 0;
    }
    return new Config(0, 0, 0, step.used, 0).used(c) < count;
  }

  private void undo(int choice) {
    if (choice >= 0) {
      done.clear(choice);
      first = Math.min(first, choice);
    }
  }
}
