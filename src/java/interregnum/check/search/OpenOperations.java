package interregnum.check.search;

import java.util.Arrays;

/**
 * The operations that are open at one moment of the history: completed later ones in slots, crashed
 * ones as counts per class.
 */
final class OpenOperations {

  static final int SLOTS = 64;
  static final int UNLIMITED = Integer.MAX_VALUE;

  private final Problem problem;
  /** From this number of crashed operations of a class on, their number counts as unlimited. */
  private final int plenty;

  /** Open operations; the others in this group are disjoint parts of it. */
  long open;

  long reads;
  long overwrites;
  final int[] operation = new int[SLOTS];
  final int[] classOf = new int[SLOTS];
  /** For each slot, those that hold an equal call that completes earlier. */
  final long[] earlier = new long[SLOTS];

  int[] crashedClasses = new int[8];
  int crashedClassCount;
  final int[] crashed;

  OpenOperations(Problem problem, int plenty) {
    this.problem = problem;
    this.plenty = plenty;
    this.crashed = new int[problem.classes.length];
  }

  private OpenOperations(OpenOperations from) {
    this.problem = from.problem;
    this.plenty = from.plenty;
    this.open = from.open;
    this.reads = from.reads;
    this.overwrites = from.overwrites;
    System.arraycopy(from.operation, 0, operation, 0, SLOTS);
    System.arraycopy(from.classOf, 0, classOf, 0, SLOTS);
    System.arraycopy(from.earlier, 0, earlier, 0, SLOTS);
    this.crashedClasses = from.crashedClasses.clone();
    this.crashedClassCount = from.crashedClassCount;
    this.crashed = from.crashed.clone();
  }

  OpenOperations copy() {
    return new OpenOperations(this);
  }

  /** Opens an operation and returns its slot. */
  int open(int op) {
    int slot = Long.numberOfTrailingZeros(~open);
    if (slot == SLOTS) {
      throw new TooWide();
    }
    long bit = 1L << slot;
    int c = problem.classOf[op];
    int complete = problem.history.complete(op);
    earlier[slot] = 0;
    for (long rest = open; rest != 0; rest &= rest - 1) {
      int other = Long.numberOfTrailingZeros(rest);
      earlier[other] &= ~bit;
      if (classOf[other] == c) {
        if (problem.history.complete(operation[other]) < complete) {
          earlier[slot] |= 1L << other;
        } else {
          earlier[other] |= bit;
        }
      }
    }
    operation[slot] = op;
    classOf[slot] = c;
    open |= bit;
    if (problem.reads(c)) {
      reads |= bit;
    } else if (problem.overwrites(c)) {
      overwrites |= bit;
    }
    return slot;
  }

  /** Returns the slot of an open operation. */
  int slot(int op) {
    long rest = open;
    while (operation[Long.numberOfTrailingZeros(rest)] != op) {
      rest &= rest - 1;
    }
    return Long.numberOfTrailingZeros(rest);
  }

  void close(int slot) {
    long keep = ~(1L << slot);
    open &= keep;
    reads &= keep;
    overwrites &= keep;
  }

  /** Counts a crashed operation; true if its class has just become unlimited. */
  boolean crash(int c) {
    if (crashed[c] == UNLIMITED) {
      return false;
    }
    if (crashed[c] == 0) {
      if (crashedClassCount == crashedClasses.length) {
        crashedClasses = Arrays.copyOf(crashedClasses, 2 * crashedClassCount);
      }
      crashedClasses[crashedClassCount++] = c;
    }
    crashed[c]++;
    if (crashed[c] > plenty) {
      crashed[c] = UNLIMITED;
      return true;
    }
    return false;
  }

  /** Takes crashed operations of a class away for good. */
  void spend(int c, int count) {
    if (crashed[c] != UNLIMITED) {
      crashed[c] -= count;
      if (crashed[c] == 0) {
        int i = 0;
        while (crashedClasses[i] != c) {
          i++;
        }
        crashedClasses[i] = crashedClasses[--crashedClassCount];
      }
    }
  }

  /** More operations are open at the same time than a configuration has bits for. */
  static final class TooWide extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooWide() {
      super(null, null, false, false);
    }
  }
}
