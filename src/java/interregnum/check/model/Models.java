package interregnum.check.model;

import clojure.lang.PersistentHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The models that people can name on a command line. */
public final class Models {

  private static final int REENTRANT_DEPTH_MAX = 2;

  /** Their names, in the order in which they are explained to people. */
  public static final List<String> NAMES =
      List.of(
          "register",
          "cas-register",
          "multi-register",
          "set",
          "unordered-queue",
          "fifo-queue",
          "mutex",
          "owner-mutex",
          "reentrant-lock",
          "fenced-lock",
          "id-counter",
          "unique-ids",
          "kv");

  private Models() {}

  /**
   * Returns a model.
   *
   * @param initial for registers the value at the beginning, for multi-registers the map of values
   */
  public static Optional<Model> named(String name, Object initial) {
    return Optional.ofNullable(
        switch (name) {
          case "register" -> new Register("register", initial, false, false);
          case "cas-register" -> new Register("cas-register", initial, true, false);
          case "multi-register" ->
              new MultiRegister(
                  initial instanceof Map<?, ?> values ? values : PersistentHashMap.EMPTY);
          case "set" -> new GrowingSet(true);
          case "unordered-queue" -> new UnorderedQueue();
          case "fifo-queue" -> new FifoQueue(true);
          case "mutex" -> new Mutex();
          case "owner-mutex" -> new OwnedLock("owner-mutex", 1);
          case "reentrant-lock" -> new OwnedLock("reentrant-lock", REENTRANT_DEPTH_MAX);
          case "fenced-lock" -> new FencedLock();
          case "id-counter" -> new IdCounter();
          case "unique-ids" -> new UniqueIds();
          case "kv" -> new KeyValueMap();
          default -> null;
        });
  }

  /** Returns the name of the only model that has all these operations, if there is just one. */
  public static Optional<String> forOperations(Set<String> fs) {
    if (fs.isEmpty()) {
      return Optional.empty();
    }
    if (Set.of("read", "write", "cas").containsAll(fs)) {
      return Optional.of("cas-register");
    }
    if (Set.of("add", "read").containsAll(fs)) {
      return Optional.of("set");
    }
    if (Set.of("get", "put", "append", "delete").containsAll(fs)) {
      return Optional.of("kv");
    }
    if (Set.of("txn").containsAll(fs)) {
      return Optional.of("multi-register");
    }
    if (Set.of("acquire", "release", "effect").containsAll(fs)) {
      return Optional.of(fs.contains("effect") ? "fenced-lock" : "mutex");
    }
    if (Set.of("alloc", "rebase").containsAll(fs)) {
      return Optional.of("id-counter");
    }
    return Optional.empty();
  }
}
