package interregnum.check.fast;

import interregnum.check.history.History;
import interregnum.check.model.Call;
import interregnum.check.model.Register;
import interregnum.check.model.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A register into which every value is written at most once, by a write or by a compare-and-set.
 *
 * <p>Each value then has one reign: its write, then its reads. A compare-and-set from u to v joins
 * the reigns of u and v without anything between. What is joined is a block whose order is known;
 * blocks A and B can be ordered unless each has an operation that completes before one of the other
 * begins (Gibbons and Korach, Testing shared memories, 1997, extended to chains).
 */
final class UniqueRegister implements FastCheck {

  private final Register model;

  UniqueRegister(Register model) {
    this.model = model;
  }

  @Override
  public boolean applies(History history) {
    Numbering written = new Numbering();
    written.of(model.initial());
    for (int i = 0; i < history.size(); i++) {
      Call call = history.call(i);
      switch (call.f()) {
        case "read" -> {
          if (call.value() == null && !model.exactNil()) {
            return false;
          }
        }
        case "write", "cas" -> {
          boolean pair = call.value() instanceof List<?> list && list.size() == 2;
          if (call.f().equals("cas") && (!model.cas() || !pair)) {
            return false;
          }
          int known = written.size();
          if (written.of(target(call)) < known) {
            return false;
          }
        }
        default -> {
          return false;
        }
      }
    }
    return true;
  }

  private static Object target(Call call) {
    return call.f().equals("cas") ? ((List<?>) call.value()).get(1) : call.value();
  }

  private static Object source(Call call) {
    return ((List<?>) call.value()).get(0);
  }

  /** The reign of one value. */
  private static final class Reign {
    final Object value;
    int begin = -1;
    Reign before;
    Reign after;
    final List<Integer> reads = new ArrayList<>(2);
    boolean happened;

    Reign(Object value) {
      this.value = value;
    }
  }

  @Override
  public Optional<Conflict> conflict(History history) {
    Map<Object, Reign> reigns = new HashMap<>(2 * history.size());
    Reign initial = new Reign(model.initial());
    initial.happened = true;
    reigns.put(initial.value, initial);
    for (int i = 0; i < history.size(); i++) {
      Call call = history.call(i);
      if (!call.f().equals("read")) {
        Reign reign = reigns.computeIfAbsent(target(call), Reign::new);
        reign.begin = i;
        reign.happened |= !history.crashed(i);
      } else if (!history.crashed(i)) {
        Reign reign = reigns.computeIfAbsent(call.value(), Reign::new);
        reign.reads.add(i);
        reign.happened = true;
      }
    }
    for (Reign reign : reigns.values()) {
      if (reign.begin < 0 && reign != initial) {
        return Optional.of(
            Conflict.of(Text.of(reign.value) + " was read but never written", reign.reads.get(0)));
      }
    }
    return join(history, reigns)
        .or(() -> blocks(history, reigns, initial))
        .map(conflict -> proven(history, reigns, conflict));
  }

  /** The conflict with what shows that updates of unknown outcome in it did take effect. */
  private static Conflict proven(
      History history, Map<Object, Reign> reigns, Conflict conflict) {
    List<Integer> all = new ArrayList<>(conflict.operations());
    for (int k = 0; k < all.size(); k++) {
      int op = all.get(k);
      if (history.crashed(op)) {
        Reign reign = reigns.get(target(history.call(op)));
        int proof =
            !reign.reads.isEmpty()
                ? reign.reads.get(0)
                : reign.after == null ? op : reign.after.begin;
        if (!all.contains(proof)) {
          all.add(proof);
        }
      }
    }
    return Conflict.of(
        conflict.reason(), all.stream().mapToInt(i -> i).toArray());
  }

  /** Joins reigns along compare-and-sets that took effect. */
  private static Optional<Conflict> join(History history, Map<Object, Reign> reigns) {
    List<Reign> todo = new ArrayList<>(reigns.values());
    for (int i = 0; i < todo.size(); i++) {
      Reign reign = todo.get(i);
      boolean cas = reign.begin >= 0 && history.call(reign.begin).f().equals("cas");
      if (!cas || !reign.happened || reign.before != null) {
        continue;
      }
      Object value = source(history.call(reign.begin));
      Reign from = reigns.get(value);
      if (from == null) {
        return Optional.of(
            Conflict.of(Text.of(value) + " was replaced but never written", reign.begin));
      }
      if (from.after != null) {
        return Optional.of(
            Conflict.of(
                Text.of(value) + " was replaced twice", from.after.begin, reign.begin));
      }
      reign.before = from;
      from.after = reign;
      if (!from.happened) {
        from.happened = true;
        todo.add(from);
      }
    }
    return Optional.empty();
  }

  /** Operations joined by compare-and-sets, with the first completion and the last invocation. */
  private record Block(
      int[] operations, int firstEnd, int firstEnding, int lastBegin, int lastBeginning) {}

  private static Optional<Conflict> blocks(
      History history, Map<Object, Reign> reigns, Reign initial) {
    List<Block> blocks = new ArrayList<>();
    int joined = 0;
    int happened = 0;
    for (Reign reign : reigns.values()) {
      happened += reign.happened ? 1 : 0;
      if (reign.happened && reign.before == null) {
        int[] operations = chain(reign);
        joined += length(reign);
        Optional<Conflict> wrong = disorder(history, operations, reign);
        if (wrong.isPresent()) {
          return wrong;
        }
        blocks.add(block(history, operations, reign == initial));
      }
    }
    if (joined < happened) {
      return Optional.of(circle(reigns));
    }
    return collision(history, blocks);
  }

  private static int length(Reign reign) {
    int n = 0;
    for (Reign r = reign; r != null; r = r.after) {
      n++;
    }
    return n;
  }

  private static int[] chain(Reign head) {
    int length = 0;
    for (Reign r = head; r != null; r = r.after) {
      length += r.reads.size() + (r.begin >= 0 ? 1 : 0);
    }
    int[] all = new int[length];
    int n = 0;
    for (Reign r = head; r != null; r = r.after) {
      if (r.begin >= 0) {
        all[n++] = r.begin;
      }
      for (int read : r.reads) {
        all[n++] = read;
      }
    }
    return all;
  }

  private static Optional<Conflict> disorder(History history, int[] operations, Reign head) {
    int[] ranks = new int[operations.length];
    int rank = 0;
    int i = 0;
    for (Reign r = head; r != null; r = r.after) {
      if (r.begin >= 0) {
        ranks[i++] = rank++;
      }
      for (int k = 0; k < r.reads.size(); k++) {
        ranks[i++] = rank;
      }
      rank++;
    }
    return new Ranks(operations, ranks)
        .inversion(history)
        .map(
            pair ->
                Conflict.of(
                    history.call(pair.lower()) + " began after " + history.call(pair.higher())
                        + " had ended",
                    between(operations, pair)));
  }

  /** The operations of a chain from one to another, which explain each other's values. */
  private static int[] between(int[] operations, Ranks.Inversion pair) {
    int from = 0;
    while (operations[from] != pair.lower()) {
      from++;
    }
    int to = from;
    while (operations[to] != pair.higher()) {
      to++;
    }
    return Arrays.copyOfRange(operations, from, to + 1);
  }

  private static Block block(History history, int[] operations, boolean initial) {
    int firstEnding = -1;
    int lastBeginning = -1;
    for (int op : operations) {
      if (firstEnding < 0 || history.complete(op) < history.complete(firstEnding)) {
        firstEnding = op;
      }
      if (lastBeginning < 0 || history.invoke(op) > history.invoke(lastBeginning)) {
        lastBeginning = op;
      }
    }
    return new Block(
        operations,
        initial ? -1 : history.complete(firstEnding),
        firstEnding,
        lastBeginning < 0 ? -1 : history.invoke(lastBeginning),
        lastBeginning);
  }

  private static Conflict circle(Map<Object, Reign> reigns) {
    List<Integer> circle = new ArrayList<>();
    for (Reign reign : reigns.values()) {
      Reign r = reign;
      for (int n = 0; r != null && n <= reigns.size(); n++) {
        r = r.before;
      }
      if (r != null) {
        Reign start = r;
        do {
          circle.add(r.begin);
          r = r.before;
        } while (r != start);
        break;
      }
    }
    return Conflict.of(
        "compare-and-sets replace each other's values in a circle",
        circle.stream().mapToInt(i -> i).toArray());
  }

  /** Looks for two blocks each of which has an end before a beginning of the other. */
  private static Optional<Conflict> collision(History history, List<Block> blocks) {
    List<Block> byEnd = new ArrayList<>(blocks);
    byEnd.sort((a, b) -> Integer.compare(a.firstEnd(), b.firstEnd()));
    Block longest = null;
    for (Block block : byEnd) {
      boolean behind =
          longest != null
              && longest.firstEnd() < block.lastBegin()
              && block.firstEnd() < longest.lastBegin();
      if (behind) {
        return Optional.of(conflict(history, longest, block));
      }
      longest =
          longest == null || block.lastBegin() > longest.lastBegin() ? block : longest;
    }
    return Optional.empty();
  }

  private static Conflict conflict(History history, Block a, Block b) {
    String reason =
        "the reigns of " + Text.of(valueOf(history, a)) + " and " + Text.of(valueOf(history, b))
            + " would each have to come before the other";
    return Conflict.of(
        reason, Stream.of(a, b).flatMapToInt(x -> witnesses(history, x)).toArray());
  }

  /** The operations that force a block's place, and the updates that explain their values. */
  private static IntStream witnesses(History history, Block block) {
    return Arrays.stream(block.operations())
        .filter(
            op ->
                op == block.firstEnding()
                    || op == block.lastBeginning()
                    || !history.call(op).f().equals("read"));
  }

  private static Object valueOf(History history, Block block) {
    Call call = history.call(block.lastBeginning());
    return call.f().equals("read") ? call.value() : target(call);
  }

  @Override
  public String name() {
    return "reigns of values";
  }
}
