package interregnum.check;

import clojure.lang.PersistentHashSet;
import clojure.lang.PersistentVector;
import interregnum.check.history.EventType;
import interregnum.check.history.Recording;
import interregnum.check.model.FencedLock;
import interregnum.check.model.FifoQueue;
import interregnum.check.model.GrowingSet;
import interregnum.check.model.IdCounter;
import interregnum.check.model.KeyValueMap;
import interregnum.check.model.Keyed;
import interregnum.check.model.Model;
import interregnum.check.model.MultiRegister;
import interregnum.check.model.Mutex;
import interregnum.check.model.OwnedLock;
import interregnum.check.model.Register;
import interregnum.check.model.UniqueIds;
import interregnum.check.model.UnorderedQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

/** Random histories of a few operations over small domains, for every model. */
final class RandomHistories {

  /** A model and how to draw one of its operations. */
  record Family(String name, Model model, Function<Random, Draw> draw) {}

  /** An operation as it is invoked and as it completes if it succeeds. */
  record Draw(String f, Object argument, Object result) {}

  private RandomHistories() {}

  static List<Family> families() {
    List<Family> all = new ArrayList<>();
    all.add(
        new Family(
            "register", new Register("register", null, false, false), r -> register(r, 0, 3)));
    all.add(
        new Family(
            "register 0", new Register("register", 0L, false, true), r -> register(r, 0, 2)));
    all.add(
        new Family(
            "cas-register", new Register("cas-register", 0L, true, false), r -> register(r, 1, 3)));
    all.add(
        new Family(
            "cas-register wide",
            new Register("cas-register", 0L, true, false),
            r -> register(r, 1, 9)));
    all.add(
        new Family(
            "multi-register", new MultiRegister(Map.of("x", 0L, "y", 0L)), RandomHistories::txn));
    all.add(
        new Family(
            "set", new GrowingSet(true), RandomHistories::set));
    all.add(
        new Family(
            "unordered-queue", new UnorderedQueue(), r -> queue(r, 3)));
    all.add(
        new Family(
            "fifo-queue", new FifoQueue(true), r -> queue(r, 3)));
    all.add(
        new Family(
            "fifo-queue wide", new FifoQueue(false), r -> queue(r, 6)));
    all.add(
        new Family(
            "mutex", new Mutex(), r -> lock(r, null)));
    all.add(
        new Family(
            "owner-mutex", new OwnedLock("owner-mutex", 1), r -> lock(r, r.nextInt(2))));
    all.add(
        new Family(
            "reentrant-lock", new OwnedLock("reentrant-lock", 2), r -> lock(r, r.nextInt(2))));
    all.add(
        new Family(
            "fenced-lock", new FencedLock(), RandomHistories::fenced));
    all.add(
        new Family(
            "id-counter", new IdCounter(), RandomHistories::ids));
    all.add(
        new Family(
            "unique-ids", new UniqueIds(), r -> new Draw("generate", null, r.nextInt(8))));
    all.add(
        new Family(
            "kv", new KeyValueMap(), RandomHistories::kv));
    all.add(
        new Family(
            "keyed",
            new Keyed(new Register("cas-register", null, true, false)),
            RandomHistories::keyed));
    return all;
  }

  private static Draw register(Random r, int cas, int values) {
    return switch (r.nextInt(2 + cas)) {
      case 0 -> {
        Object seen = r.nextInt(8) == 0 ? null : (Object) (long) r.nextInt(values);
        yield new Draw("read", null, seen);
      }
      case 1 -> new Draw("write", (long) r.nextInt(values), (long) r.nextInt(1));
      default -> {
        Object pair = PersistentVector.create((long) r.nextInt(values), (long) r.nextInt(values));
        yield new Draw("cas", pair, pair);
      }
    };
  }

  private static Draw txn(Random r) {
    List<Object> argument = new ArrayList<>();
    List<Object> result = new ArrayList<>();
    for (int i = 1 + r.nextInt(2); i > 0; i--) {
      String key = r.nextBoolean() ? "x" : "y";
      long value = r.nextInt(2);
      boolean read = r.nextBoolean();
      argument.add(PersistentVector.create(read ? "read" : "write", key, read ? null : value));
      result.add(PersistentVector.create(read ? "read" : "write", key, value));
    }
    return new Draw("txn", PersistentVector.create(argument), PersistentVector.create(result));
  }

  private static Draw set(Random r) {
    if (r.nextBoolean()) {
      long x = r.nextInt(4);
      return new Draw("add", x, x);
    }
    List<Object> seen = new ArrayList<>();
    for (long x = 0; x < 4; x++) {
      if (r.nextInt(3) == 0) {
        seen.add(x);
      }
    }
    return new Draw("read", null, PersistentHashSet.create(seen));
  }

  private static Draw queue(Random r, int values) {
    long x = r.nextInt(values);
    return r.nextBoolean() ? new Draw("enqueue", x, x) : new Draw("dequeue", null, x);
  }

  private static Draw lock(Random r, Object owner) {
    return new Draw(r.nextBoolean() ? "acquire" : "release", owner, owner);
  }

  private static Draw fenced(Random r) {
    long token = r.nextInt(4);
    return switch (r.nextInt(3)) {
      case 0 -> new Draw("acquire", r.nextBoolean() ? null : (Object) token, token);
      case 1 -> new Draw("effect", token, token);
      default -> new Draw("release", token, token);
    };
  }

  private static Draw ids(Random r) {
    long id = r.nextInt(8);
    return switch (r.nextInt(4)) {
      case 0 -> new Draw("rebase", id, id);
      case 1 -> new Draw("alloc", null, PersistentVector.create(id, id + r.nextInt(2)));
      default -> new Draw("alloc", null, id);
    };
  }

  private static Draw kv(Random r) {
    String key = r.nextBoolean() ? "a" : "b";
    String value = r.nextBoolean() ? "0" : "1";
    return switch (r.nextInt(4)) {
      case 0 -> new Draw("put", PersistentVector.create(key, value), null);
      case 1 -> new Draw("append", PersistentVector.create(key, value), null);
      default -> {
        String more = r.nextBoolean() ? "0" : "1";
        String held = r.nextInt(3) == 0 ? "" : r.nextBoolean() ? value : value + more;
        yield new Draw(
            "get", PersistentVector.create(key, null), PersistentVector.create(key, held));
      }
    };
  }

  private static Draw keyed(Random r) {
    Draw inner = register(r, 1, 2);
    String key = r.nextBoolean() ? "a" : "b";
    Object result = inner.f().equals("write") ? inner.argument() : inner.result();
    return new Draw(
        inner.f(),
        PersistentVector.create(key, inner.argument()),
        PersistentVector.create(key, result));
  }

  /** Draws a history of at most {@code operations} operations by at most four processes. */
  static Recording draw(Family family, int operations, Random r) {
    int processes = 1 + r.nextInt(4);
    Draw[] open = new Draw[processes];
    long[] names = new long[processes];
    for (int p = 0; p < processes; p++) {
      names[p] = p;
    }
    Recording recording = new Recording("event");
    int invoked = 0;
    int index = 0;
    int target = 1 + r.nextInt(operations);
    while (invoked < target || r.nextInt(4) > 0) {
      int p = r.nextInt(processes);
      if (open[p] == null) {
        if (invoked == target) {
          continue;
        }
        open[p] = family.draw().apply(r);
        recording.add(
            new Recording.Event(EventType.INVOKE, names[p], open[p].f(), open[p].argument(), null, index, index));
        invoked++;
      } else {
        int kind = r.nextInt(10);
        EventType type = kind < 7 ? EventType.OK : kind < 9 ? EventType.INFO : EventType.FAIL;
        boolean write = open[p].f().equals("write");
        Object value = type == EventType.OK && !write ? open[p].result() : null;
        recording.add(new Recording.Event(type, names[p], open[p].f(), value, null, index, index));
        open[p] = null;
        if (type == EventType.INFO) {
          names[p] += processes;
        }
      }
      index++;
    }
    return recording;
  }
}
