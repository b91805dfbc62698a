package interregnum.check.fast;

import interregnum.check.history.History;
import interregnum.check.model.Text;
import java.util.ArrayList;
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
    Map<Object, List<Integer>> additions = new HashMap<>();
    for (int i = 0; i < history.size(); i++) {
      if (history.call(i).f().equals("add")) {
        additions.computeIfAbsent(history.call(i).value(), e -> new ArrayList<>(1)).add(i);
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
      History history, List<Integer> reads, Map<Object, List<Integer>> additions) {
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
              && !additions.containsKey(element)) {
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

  /** Collects operations with the ranks that they must have or may exceed. */
  private static final class Order {
    private final History history;
    private final List<int[]> ranked = new ArrayList<>();
    private final List<int[]> free = new ArrayList<>();
    private final Map<Integer, Integer> readAt = new HashMap<>();

    Order(History history) {
      this.history = history;
    }

    void read(int op, int rank) {
      readAt.put(rank, op);
      add(op, rank);
    }

    void add(int op, int rank) {
      ranked.add(new int[] {op, rank});
    }

    Optional<Conflict> place(
        Map<Object, List<Integer>> additions, Map<Object, Integer> firstRank, int behind) {
      additions.forEach(
          (element, ops) -> {
            Integer rank = firstRank.get(element);
            for (int i = 0; i < ops.size(); i++) {
              int op = ops.get(i);
              if (rank != null && i == 0) {
                add(op, rank);
              } else if (!history.crashed(op)) {
                free.add(new int[] {op, rank == null ? behind : rank});
              }
            }
          });
      ranked.sort(Comparator.comparingInt(entry -> entry[1]));
      int[] operations = ranked.stream().mapToInt(entry -> entry[0]).toArray();
      int[] ranks = ranked.stream().mapToInt(entry -> entry[1]).toArray();
      Optional<Ranks.Inversion> inversion = new Ranks(operations, ranks).inversion(history);
      return inversion
          .map(pair -> conflict(pair.lower(), pair.higher(), rankOf(pair.lower())))
          .or(this::misplaced);
    }

    /** A free addition that completes before something begins that has to come before it. */
    private Optional<Conflict> misplaced() {
      free.sort(Comparator.comparingInt(entry -> entry[1]));
      int next = 0;
      int latest = -1;
      for (int[] entry : free) {
        while (next < ranked.size() && ranked.get(next)[1] < entry[1]) {
          int op = ranked.get(next++)[0];
          latest = latest < 0 || history.invoke(op) > history.invoke(latest) ? op : latest;
        }
        if (latest >= 0 && history.complete(entry[0]) < history.invoke(latest)) {
          return Optional.of(conflict(latest, entry[0], rankOf(latest)));
        }
      }
      return Optional.empty();
    }

    private int rankOf(int op) {
      return ranked.stream().filter(entry -> entry[0] == op).findFirst().orElseThrow()[1];
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
