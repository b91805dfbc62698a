package interregnum.check.fast;

import interregnum.check.history.History;
import interregnum.check.model.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A growing set: of two reads one contains the other, so reads form a chain, and an element is
 * added between the last read without it and the first one with it. Where an element was added
 * several times, one addition (the one that began first) has to be there; the others may be
 * anywhere later.
 */
final class ReadChain implements FastCheck {

  @Override
  public boolean applies(History history) {
    for (int i = 0; i < history.size(); i++) {
      String f = history.call(i).f();
      if (!f.equals("add") && !f.equals("read")) {
        return false;
      }
    }
    return true;
  }

  @Override
  public Optional<Conflict> conflict(History history) {
    List<Integer> reads = new ArrayList<>();
    Additions additions = new Additions(history.size());
    for (int i = 0; i < history.size(); i++) {
      if (history.call(i).f().equals("add")) {
        additions.add(history.call(i).value(), i);
      } else if (!history.crashed(i)) {
        if (!(history.call(i).value() instanceof Set<?>)) {
          String found = Text.of(history.call(i).value());
          return Optional.of(Conflict.of("a read returned " + found + ", which is no set", i));
        }
        reads.add(i);
      }
    }
    reads.sort(Comparator.comparingInt(i -> read(history, i).size()));
    return chain(history, reads, additions);
  }

  private static Set<?> read(History history, int op) {
    return (Set<?>) history.call(op).value();
  }

  /** Ranks: reads of equal size have rank 2k, what they see for the first time 2k - 1. */
  private static Optional<Conflict> chain(
      History history, List<Integer> reads, Additions additions) {
    Order order = new Order(history);
    Map<Object, Integer> firstRank = new HashMap<>();
    int rank = 1;
    Set<?> before = Set.of();
    int beforeRead = -1;
    for (int op : reads) {
      Set<?> now = read(history, op);
      if (!now.equals(before)) {
        if (!now.containsAll(before)) {
          return Optional.of(
              Conflict.of("two reads each lack an element that the other has", beforeRead, op));
        }
        rank += 2;
        for (Object element : now) {
          if (!before.contains(element) && firstRank.putIfAbsent(element, rank - 1) == null
              && !additions.contain(element)) {
            return Optional.of(
                Conflict.of(Text.of(element) + " was read but never added", op));
          }
        }
      }
      order.read(op, rank);
      before = now;
      beforeRead = op;
    }
    return order.place(additions, firstRank, rank + 1);
  }

  @Override
  public String name() {
    return "chain of reads";
  }

  /** The additions of each element, in their order. */
  private static final class Additions {
    private final Numbering elements = new Numbering();
    private final int[] firstOf;
    private final int[] lastOf;
    private final int[] next;

    Additions(int operations) {
      firstOf = new int[operations];
      lastOf = new int[operations];
      next = new int[operations];
    }

    void add(Object element, int op) {
      int known = elements.size();
      int number = elements.of(element);
      if (number == known) {
        firstOf[number] = op;
      } else {
        next[lastOf[number]] = op;
      }
      lastOf[number] = op;
      next[op] = -1;
    }

    boolean contain(Object element) {
      return elements.contains(element);
    }
  }

  /** Collects operations with the ranks that they must have or may exceed, as rank and number. */
  private static final class Order {
    private final History history;
    private final long[] ranked;
    private final long[] free;
    private int rankedCount;
    private int freeCount;
    private final Map<Integer, Integer> readAt = new HashMap<>();

    Order(History history) {
      this.history = history;
      this.ranked = new long[history.size()];
      this.free = new long[history.size()];
    }

    private static long entry(int op, int rank) {
      return (long) rank << 32 | op;
    }

    private static int rank(long entry) {
      return (int) (entry >> 32);
    }

    void read(int op, int rank) {
      readAt.put(rank, op);
      ranked[rankedCount++] = entry(op, rank);
    }

    Optional<Conflict> place(Additions additions, Map<Object, Integer> firstRank, int behind) {
      for (int i = 0; i < additions.elements.size(); i++) {
        int first = additions.firstOf[i];
        Integer rank = firstRank.get(history.call(first).value());
        if (rank != null) {
          ranked[rankedCount++] = entry(first, rank);
        }
        for (int op = rank == null ? first : additions.next[first];
            op >= 0;
            op = additions.next[op]) {
          if (!history.crashed(op)) {
            free[freeCount++] = entry(op, rank == null ? behind : rank);
          }
        }
      }
      Arrays.sort(ranked, 0, rankedCount);
      Arrays.sort(free, 0, freeCount);
      int[] operations = Arrays.stream(ranked, 0, rankedCount).mapToInt(e -> (int) e).toArray();
      int[] ranks = Arrays.stream(ranked, 0, rankedCount).mapToInt(Order::rank).toArray();
      Optional<Ranks.Inversion> inversion = new Ranks(operations, ranks).inversion(history);
      return inversion
          .map(pair -> conflict(pair.lower(), pair.higher(), rankOf(pair.lower())))
          .or(this::misplaced);
    }

    /** A free addition that completes before something begins that has to come before it. */
    private Optional<Conflict> misplaced() {
      int next = 0;
      int latest = -1;
      for (int i = 0; i < freeCount; i++) {
        while (next < rankedCount && rank(ranked[next]) < rank(free[i])) {
          int op = (int) ranked[next++];
          latest = latest < 0 || history.invoke(op) > history.invoke(latest) ? op : latest;
        }
        if (latest >= 0 && history.complete((int) free[i]) < history.invoke(latest)) {
          return Optional.of(conflict(latest, (int) free[i], rankOf(latest)));
        }
      }
      return Optional.empty();
    }

    private int rankOf(int op) {
      return Arrays.stream(ranked, 0, rankedCount)
          .filter(entry -> (int) entry == op)
          .mapToInt(Order::rank)
          .findFirst()
          .orElseThrow();
    }

    /** The conflict of two operations and of the first read that saw what the lower one added. */
    private Conflict conflict(int lower, int higher, int rank) {
      if (history.call(lower).f().equals("read")) {
        String what =
            history.call(higher).f().equals("read")
                ? "a read lacks elements that a read before it had"
                : "a read lacks " + Text.of(history.call(higher).value()) + ", added before";
        return Conflict.of(what, lower, higher);
      }
      String what = "a read has " + Text.of(history.call(lower).value()) + ", added only later";
      return Conflict.of(what, lower, higher, readAt.get(rank + 1));
    }
  }
}
