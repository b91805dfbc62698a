package interregnum.allocator;

import interregnum.failpoint.Failpoints;
import interregnum.owner.Term;
import interregnum.runtime.SystemRuntime;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Leader sides on one store in memory, with an election that does as the test says. */
final class FakeCluster {

  static final long TABLE = 7;

  final SystemRuntime runtime = new SystemRuntime(1, (task, failure) -> {});
  final FakeStore store = new FakeStore();
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private long lastTerm = 10;

  FakeCluster(AllocatorModes modes, String... names) {
    for (String name : names) {
      nodes.put(name, new Node(name, modes));
    }
  }

  Node node(String name) {
    return nodes.get(name);
  }

  /** Ends every reign in order, as a resignation does, and begins one of {@code name}. */
  Node elect(String name) throws InterruptedException {
    for (Node node : nodes.values()) {
      node.retire();
    }
    return crown(name);
  }

  /** Begins a reign of {@code name}; earlier owners keep believing in theirs. */
  Node crown(String name) throws InterruptedException {
    for (Node node : nodes.values()) {
      store.depose(node.key());
    }
    Node node = nodes.get(name);
    Term term = new Term("autoid", name, node.key(), ++lastTerm);
    store.elect(node.key(), term.number());
    node.service.onBecomeOwner(term);
    node.leased = Optional.of(term);
    return node;
  }

  final class Node {
    final String name;
    final Failpoints failpoints = new Failpoints(runtime, () -> {});
    final LeaderService service;
    volatile Optional<Term> leased = Optional.empty();

    Node(String name, AllocatorModes modes) {
      this.name = name;
      this.service =
          new LeaderService(
              runtime,
              store,
              failpoints,
              () -> leased,
              new LeaderOptions(
                  name, LeaderOptions.STEP_DEFAULT, Duration.ofMillis(200), modes));
    }

    private String key() {
      return "/election/" + name;
    }

    void retire() {
      leased.ifPresent(
          term -> {
            leased = Optional.empty();
            service.onRetireOwner(term);
          });
    }

    LeaderReply alloc(int n) throws InterruptedException {
      return alloc(n, Spacing.DENSE);
    }

    LeaderReply alloc(int n, Spacing spacing) throws InterruptedException {
      return service.alloc(new AllocRequest(TABLE, n, spacing, false));
    }

    /** Takes one id. */
    long next() throws InterruptedException {
      LeaderReply reply = alloc(1);
      if (reply instanceof LeaderReply.Granted granted) {
        return granted.max();
      }
      throw new AssertionError("no id from " + name + ": " + reply);
    }

    LeaderReply rebase(long base) throws InterruptedException {
      return service.rebase(new RebaseRequest(TABLE, base, false, false, "rebase"));
    }

    LeaderReply force(long base, String requestId) throws InterruptedException {
      return service.rebase(new RebaseRequest(TABLE, base, true, false, requestId));
    }
  }
}
