package interregnum.check.fast;

import interregnum.check.history.History;
import interregnum.check.model.Integers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A fenced lock: everything happens in the order of tokens, and for each token first the
 * acquisition, then the effects, then the release.
 */
final class TokenOrder implements FastCheck {

  private record Entry(int operation, long token, int phase) {}

  @Override
  public boolean applies(History history) {
    for (int i = 0; i < history.size(); i++) {
      phase(history, i);
      Integers.of(history.call(i));
    }
    return true;
  }

  private static int phase(History history, int op) {
    return switch (history.call(op).f()) {
      case "acquire" -> 0;
      case "effect" -> 1;
      case "release" -> 2;
      default -> throw new IllegalArgumentException(
          "a fenced lock has no operation " + history.call(op).f());
    };
  }

  @Override
  public Optional<Conflict> conflict(History history) {
    Map<Long, Integer> acquisitions = new HashMap<>();
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < history.size(); i++) {
      long token = Integers.of(history.call(i));
      int phase = phase(history, i);
      if (phase == 0) {
        Integer before = acquisitions.get(token);
        if (before != null && !history.crashed(before) && !history.crashed(i)) {
          return Optional.of(Conflict.of("token " + token + " was granted twice", before, i));
        }
        if (before == null || history.crashed(before)) {
          acquisitions.merge(token, i, (a, b) -> history.crashed(b) ? a : b);
        }
      } else if (!history.crashed(i)) {
        entries.add(new Entry(i, token, phase));
      }
    }
    return phases(history, acquisitions, entries);
  }

  private static Optional<Conflict> phases(
      History history, Map<Long, Integer> acquisitions, List<Entry> entries) {
    TreeSet<Long> released = new TreeSet<>();
    TreeSet<Long> used = new TreeSet<>();
    for (Entry entry : entries) {
      if (!acquisitions.containsKey(entry.token())) {
        return Optional.of(
            Conflict.of("token " + entry.token() + " was never granted", entry.operation()));
      }
      if (entry.phase() == 2 && !released.add(entry.token())) {
        return Optional.of(
            Conflict.of("token " + entry.token() + " was released twice", entry.operation()));
      }
      used.add(entry.token());
    }
    acquisitions.forEach(
        (token, op) -> {
          if (!history.crashed(op) || used.contains(token)) {
            entries.add(new Entry(op, token, 0));
          }
        });
    entries.sort(Comparator.comparingLong(Entry::token).thenComparingInt(Entry::phase));
    return order(history, entries);
  }

  private static Optional<Conflict> order(History history, List<Entry> entries) {
    int[] operations = new int[entries.size()];
    int[] ranks = new int[operations.length];
    for (int i = 0; i < operations.length; i++) {
      Entry entry = entries.get(i);
      operations[i] = entry.operation();
      boolean same =
          i > 0
              && entries.get(i - 1).token() == entry.token()
              && entries.get(i - 1).phase() == entry.phase();
      ranks[i] = same ? ranks[i - 1] : i;
    }
    return new Ranks(operations, ranks)
        .inversion(history)
        .map(
            pair ->
                Conflict.of(
                    history.call(pair.lower()) + " began after " + history.call(pair.higher())
                        + " had ended",
                    pair.lower(),
                    pair.higher()));
  }

  @Override
  public String name() {
    return "order of tokens";
  }
}
