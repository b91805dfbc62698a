package interregnum.allocator;

import interregnum.allocator.AllocatorModes.Answer;
import interregnum.allocator.AllocatorModes.Close;
import interregnum.allocator.AllocatorModes.Ranges;
import interregnum.failpoint.FailpointException;
import interregnum.failpoint.Failpoints;
import interregnum.owner.OwnerListener;
import interregnum.owner.Term;
import interregnum.runtime.Mutex;
import interregnum.runtime.Runtime;
import interregnum.store.Store;
import interregnum.transport.RequestHandler;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader side of the allocator: hands out ids from ranges that it reserved in the store.
 *
 * <p>Every node has one; it answers only while its node reigns. A request belongs to the reign in
 * which it came in. Its ids come from a range of that very reign; and after they were taken, the
 * reign is looked up once more: the lease still held then, so it held when the ids were taken, and
 * no later leader had begun to answer. What is reserved is reserved in a transaction that compares
 * the term.
 *
 * <p>Requests come from many tasks. The map of ranges is guarded by a mutex; each range guards
 * itself and says how it keeps its lock away from the store, see {@link TableRange}.
 */
public final class LeaderService implements OwnerListener {

  private static final Logger LOG = LoggerFactory.getLogger(LeaderService.class);

  /** The method that takes ids. */
  public static final String ALLOC = "autoid.alloc";

  /** The method that moves a counter. */
  public static final String REBASE = "autoid.rebase";

  private final Runtime runtime;
  private final Failpoints failpoints;
  private final Supplier<Optional<Term>> leased;
  private final LeaderOptions options;
  private final Counters counters;
  private final Mutex mutex;
  private final String nodeLabel;

  /** Guarded by {@link #mutex}. */
  private final Map<Long, Table> tables = new LinkedHashMap<>();

  private volatile Optional<Term> lastReign = Optional.empty();

  /**
   * @param leased the node's reign, while its lease deadline holds
   */
  public LeaderService(
      Runtime runtime,
      Store store,
      Failpoints failpoints,
      Supplier<Optional<Term>> leased,
      LeaderOptions options) {
    this.runtime = runtime;
    this.failpoints = failpoints;
    this.leased = leased;
    this.options = options;
    this.counters = new Counters(store, failpoints, options);
    this.mutex = runtime.mutex("id ranges");
    this.nodeLabel = "node=" + options.nodeId();
  }

  /** What this side serves to other nodes, by method. */
  public Map<String, RequestHandler> handlers() {
    return Map.of(
        ALLOC, request -> LeaderCodec.encode(alloc(LeaderCodec.decodeAlloc(request))),
        REBASE, request -> LeaderCodec.encode(rebase(LeaderCodec.decodeRebase(request))));
  }

  /** Drops the ranges of earlier reigns, before this one is visible. */
  @Override
  public void onBecomeOwner(Term term) throws InterruptedException {
    lastReign = Optional.of(term);
    if (options.modes().ranges() == Ranges.KEPT || skipsReset()) {
      return;
    }
    mutex.lock();
    try {
      tables.clear();
    } finally {
      mutex.unlock();
    }
  }

  private boolean skipsReset() throws InterruptedException {
    try {
      failpoints.hit("skipMapReset", nodeLabel);
      return false;
    } catch (FailpointException e) {
      return true;
    }
  }

  /** Nothing to do: ranges are of no use to any other reign. */
  @Override
  public void onRetireOwner(Term term) {}

  LeaderReply alloc(AllocRequest request) throws InterruptedException {
    Optional<Term> reign = reign();
    if (reign.isEmpty()) {
      return new LeaderReply.NotLeader();
    }
    Table table = enter(request.tableId());
    LeaderReply reply = draw(reign.get(), table, request.demand());
    return confirm(reign.get(), table.labels("alloc"), reply);
  }

  private LeaderReply draw(Term reign, Table table, Draw.Demand demand)
      throws InterruptedException {
    long deadline = runtime.nanoTime() + options.waitMax().toNanos();
    while (true) {
      TableRange.Answer answer = table.range().take(reign, demand, deadline);
      if (answer instanceof TableRange.Taken taken) {
        return new LeaderReply.Granted(
            taken.draw().min(), taken.draw().max(), taken.term());
      }
      if (!(answer instanceof TableRange.Ask ask)) {
        return answer instanceof TableRange.Exhausted ? new LeaderReply.Exhausted() : busy();
      }
      CounterResult result =
          ask(reign, table, asker -> counters.reserve(asker, ask.known(), demand));
      if (!(result instanceof CounterResult.Reserved)) {
        return reply(reign, result);
      }
    }
  }

  LeaderReply rebase(RebaseRequest request) throws InterruptedException {
    Optional<Term> reign = reign();
    if (reign.isEmpty()) {
      return new LeaderReply.NotLeader();
    }
    Table table = enter(request.tableId());
    LeaderReply reply =
        request.force()
            ? force(reign.get(), table, request)
            : lift(
                reign.get(),
                table,
                new Counters.Lift(request.floor(), Draw.limit(request.unsigned())));
    return confirm(reign.get(), table.labels(request.force() ? "force" : "rebase"), reply);
  }

  private LeaderReply lift(Term reign, Table table, Counters.Lift lift)
      throws InterruptedException {
    long deadline = runtime.nanoTime() + options.waitMax().toNanos();
    TableRange.Answer answer = table.range().lift(reign, lift.base(), deadline);
    if (answer instanceof TableRange.Taken) {
      return new LeaderReply.Moved(reign.number());
    }
    return answer instanceof TableRange.Ask ask
        ? reply(reign, ask(reign, table, asker -> counters.lift(asker, ask.known(), lift)))
        : busy();
  }

  private LeaderReply force(Term reign, Table table, RebaseRequest request)
      throws InterruptedException {
    long deadline = runtime.nanoTime() + options.waitMax().toNanos();
    return table.range().seize(deadline) instanceof TableRange.Ask
        ? reply(
            reign,
            ask(
                reign,
                table,
                asker -> counters.force(asker, request.floor(), request.requestId())))
        : busy();
  }

  /** Asks the store and brings the answer to the range, whatever happens on the way. */
  private CounterResult ask(Term reign, Table table, Question question)
      throws InterruptedException {
    Optional<CounterResult> answer = Optional.empty();
    try {
      CounterResult result =
          question.ask(new Counters.Asker(reign, table.id(), table.labels()));
      failpoints.hit("afterReserveCommit", table.labels());
      answer = Optional.of(result);
      return result;
    } finally {
      table.range().finish(reign, answer);
    }
  }

  private static LeaderReply reply(Term reign, CounterResult result) {
    if (result instanceof CounterResult.Failed failure) {
      return new LeaderReply.Failed(failure.reason());
    }
    if (result instanceof CounterResult.Unknown unknown) {
      return new LeaderReply.Unknown(unknown.reason());
    }
    return result instanceof CounterResult.Deposed
        ? new LeaderReply.NotLeader()
        : new LeaderReply.Moved(reign.number());
  }

  private static LeaderReply busy() {
    return new LeaderReply.Failed("the store has not answered an earlier request");
  }

  private Table enter(long tableId) throws InterruptedException {
    failpoints.hit("afterOwnerCheck", "table=" + tableId, nodeLabel);
    Table table = table(tableId);
    failpoints.hit("afterGetVal", table.labels());
    return table;
  }

  private Table table(long tableId) {
    mutex.lock();
    try {
      return tables.computeIfAbsent(tableId, this::newTable);
    } finally {
      mutex.unlock();
    }
  }

  private Table newTable(long tableId) {
    String label = "table=" + tableId;
    return new Table(
        tableId,
        new TableRange(runtime, "ids of " + label, options.modes().ranges()),
        new String[] {label, nodeLabel});
  }

  /** The reply, if the reign in which it was worked out still holds its lease. */
  private LeaderReply confirm(Term reign, String[] labels, LeaderReply reply)
      throws InterruptedException {
    failpoints.hit("beforeReply", labels);
    boolean holds = reign().map(Term::number).equals(Optional.of(reign.number()));
    LeaderReply confirmed = holds ? reply : withdrawn(reply);
    failpoints.hit("dropReply", labels);
    return confirmed;
  }

  /** What a leader says that lost its reign while it worked. */
  private static LeaderReply withdrawn(LeaderReply reply) {
    return reply instanceof LeaderReply.Moved || reply instanceof LeaderReply.Unknown
        ? new LeaderReply.Unknown("the reign ended meanwhile")
        : new LeaderReply.NotLeader();
  }

  private Optional<Term> reign() {
    return options.modes().answer() == Answer.WHILE_LEASED ? leased.get() : lastReign;
  }

  /** To be called when the node stops, while the store can still be reached. */
  public void stop() throws InterruptedException {
    if (options.modes().close() == Close.LEAVES_RANGES) {
      return;
    }
    for (Table table : snapshot()) {
      failpoints.hit("onCloseForceRebase", table.labels());
      if (table.range().state() instanceof RangeState.Held held) {
        LOG.info(
            "ids-written-back :table {} :base {} :outcome {}",
            table.id(),
            Long.toUnsignedString(held.base()),
            counters.writeBack(table.id(), held.base()));
      }
    }
  }

  private List<Table> snapshot() {
    mutex.lock();
    try {
      return List.copyOf(tables.values());
    } finally {
      mutex.unlock();
    }
  }

  /** The range of a table as it stands in memory; empty if there is none. */
  public Optional<RangeView> range(long tableId) {
    mutex.lock();
    Table table;
    try {
      table = tables.get(tableId);
    } finally {
      mutex.unlock();
    }
    return table != null && table.range().state() instanceof RangeState.Held held
        ? Optional.of(new RangeView(held.base(), held.end(), held.term()))
        : Optional.empty();
  }

  /** The ids in {@code (base, end]}, as unsigned numbers, reserved in the reign {@code term}. */
  public record RangeView(long base, long end, long term) {}

  private record Table(long id, TableRange range, String[] labels) {

    /** Failpoint labels of a request for this table. */
    String[] labels(String method) {
      return new String[] {labels[0], labels[1], "method=" + method};
    }
  }

  /** A change of a stored counter, in somebody's name. */
  @FunctionalInterface
  private interface Question {
    CounterResult ask(Counters.Asker asker) throws InterruptedException;
  }
}
