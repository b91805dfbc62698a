package interregnum.check.search;

/**
 * What one way to order the operations so far has come to.
 *
 * <p>An open operation is in one of three conditions: it took effect (bit in {@code taken}); it did
 * not, but need not any more, since it may be thought to have taken effect unseen, right before an
 * overwriting operation (bit in {@code excused}); or it still has to. Crashed operations are
 * counted per class.
 */
final class Config {

  static final int[] NONE = {};

  int state;
  long taken;
  long excused;
  /** Pairs of class and number of crashed operations of that class that took effect, by class. */
  int[] used;
  /** What the used crashed operations are worth: the rarer, the more. */
  int cost;

  Config next;
  boolean dominated;

  Config(int state, long taken, long excused, int[] used, int cost) {
    this.state = state;
    this.taken = taken;
    this.excused = excused;
    this.used = used;
    this.cost = cost;
  }

  Config copy() {
    return new Config(state, taken, excused, used, cost);
  }

  int used(int c) {
    int i = find(c);
    return i < used.length && used[i] == c ? used[i + 1] : 0;
  }

  private int find(int c) {
    int i = 0;
    while (i < used.length && used[i] < c) {
      i += 2;
    }
    return i;
  }

  /** The counts with one more operation of the class. */
  int[] usedWith(int c) {
    int i = find(c);
    if (i < used.length && used[i] == c) {
      int[] more = used.clone();
      more[i + 1]++;
      return more;
    }
    int[] more = new int[used.length + 2];
    System.arraycopy(used, 0, more, 0, i);
    more[i] = c;
    more[i + 1] = 1;
    System.arraycopy(used, i, more, i + 2, used.length - i);
    return more;
  }

  /** The counts with those of one class lowered. */
  static int[] lowered(int[] used, int c, int by) {
    for (int i = 0; i < used.length; i += 2) {
      if (used[i] == c) {
        if (used[i + 1] > by) {
          int[] less = used.clone();
          less[i + 1] -= by;
          return less;
        }
        int[] less = new int[used.length - 2];
        System.arraycopy(used, 0, less, 0, i);
        System.arraycopy(used, i + 2, less, i, used.length - i - 2);
        return less;
      }
    }
    return used;
  }

  /** Whether the first counts are nowhere above the second. */
  static boolean usesNoMore(int[] a, int[] b) {
    if (a == b) {
      return true;
    }
    int j = 0;
    for (int i = 0; i < a.length; i += 2) {
      while (j < b.length && b[j] < a[i]) {
        j += 2;
      }
      if (j == b.length || b[j] != a[i] || b[j + 1] < a[i + 1]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether this configuration can do whatever the other can, which must be in the same state, as
   * far as open operations go; crashed ones are compared apart.
   *
   * @param reads the open operations that change nothing
   */
  boolean isAheadOf(Config other, long reads) {
    return (other.taken & ~taken & reads) == 0
        && (((taken ^ other.taken) | other.excused) & ~excused & ~reads) == 0;
  }
}
