package interregnum.check.fast;

import interregnum.check.history.History;
import interregnum.check.model.Call;
import interregnum.check.model.IdCounter;
import interregnum.check.model.Integers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A counter with gaps: allocations take effect in the order of their ids, so ranges must not
 * overlap and no lower one may begin after a higher one was returned. A rebase to n comes after all
 * allocations of ids up to n.
 */
final class IdOrder implements FastCheck {

  @Override
  public boolean applies(History history) {
    for (int i = 0; i < history.size(); i++) {
      if (!history.crashed(i)) {
        check(history.call(i));
      }
    }
    return true;
  }

  private static void check(Call call) {
    if (IdCounter.isRebase(call)) {
      Integers.of(call);
    } else {
      IdCounter.first(call);
      IdCounter.last(call);
    }
  }

  @Override
  public Optional<Conflict> conflict(History history) {
    List<Integer> allocations = new ArrayList<>();
    List<Integer> rebases = new ArrayList<>();
    for (int i = 0; i < history.size(); i++) {
      if (!history.crashed(i)) {
        (IdCounter.isRebase(history.call(i)) ? rebases : allocations).add(i);
      }
    }
    long[] firsts = new long[history.size()];
    allocations.forEach(i -> firsts[i] = IdCounter.first(history.call(i)));
    allocations.sort(Comparator.comparingLong(i -> firsts[i]));
    rebases.sort(Comparator.comparingLong(i -> Integers.of(history.call(i))));
    return overlap(history, allocations)
        .or(() -> inversion(history, allocations))
        .or(() -> reuse(history, allocations, rebases));
  }

  private static Optional<Conflict> overlap(History history, List<Integer> allocations) {
    for (int i = 1; i < allocations.size(); i++) {
      int a = allocations.get(i - 1);
      int b = allocations.get(i);
      long first = IdCounter.first(history.call(b));
      if (IdCounter.last(history.call(a)) >= first) {
        return Optional.of(Conflict.of(first + " was allocated twice", a, b));
      }
    }
    return Optional.empty();
  }

  private static Optional<Conflict> inversion(History history, List<Integer> allocations) {
    int[] operations = allocations.stream().mapToInt(i -> i).toArray();
    int[] ranks = new int[operations.length];
    for (int i = 0; i < ranks.length; i++) {
      ranks[i] = i;
    }
    return new Ranks(operations, ranks)
        .inversion(history)
        .map(
            pair ->
                Conflict.of(
                    IdCounter.first(history.call(pair.lower())) + " was allocated after "
                        + IdCounter.last(history.call(pair.higher())) + " had been returned",
                    pair.lower(),
                    pair.higher()));
  }

  private static Optional<Conflict> reuse(
      History history, List<Integer> allocations, List<Integer> rebases) {
    int next = 0;
    int latest = -1;
    for (int rebase : rebases) {
      long base = Integers.of(history.call(rebase));
      while (next < allocations.size()
          && IdCounter.first(history.call(allocations.get(next))) <= base) {
        int op = allocations.get(next++);
        latest = latest < 0 || history.invoke(op) > history.invoke(latest) ? op : latest;
      }
      if (latest >= 0 && history.complete(rebase) < history.invoke(latest)) {
        return Optional.of(
            Conflict.of(
                IdCounter.first(history.call(latest)) + " was allocated after a rebase to " + base,
                rebase,
                latest));
      }
    }
    return Optional.empty();
  }

  @Override
  public String name() {
    return "order of ids";
  }
}
