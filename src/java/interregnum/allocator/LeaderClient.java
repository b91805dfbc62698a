package interregnum.allocator;

import interregnum.runtime.Outcome;
import interregnum.runtime.Randomness;
import interregnum.runtime.Runtime;
import interregnum.transport.RequestRefusedException;
import interregnum.transport.Transport;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * The allocator as the rest of a node sees it: finds the leader, remembers it, and repeats a
 * request that was not answered, with growing pauses, until a bound.
 *
 * <p>Every repetition is harmless. Ids whose reply was lost are skipped; lifting a counter twice
 * lifts it once; a forced rebase carries an id by which leaders recognise it. While nobody leads,
 * as in an election, the client keeps asking within the same bound.
 *
 * <p>Safe for use by any task.
 */
public final class LeaderClient implements IdService {

  private final Runtime runtime;
  private final Transport transport;
  private final LeaderFinder finder;
  private final ClientOptions options;
  private final Randomness jitter;
  private final String requestPrefix;
  private final AtomicLong requestNumber = new AtomicLong();

  /**
   * @param nodeId the node's name, for naming requests
   */
  public LeaderClient(
      Runtime runtime,
      Transport transport,
      LeaderLookup lookup,
      String nodeId,
      ClientOptions options) {
    this.runtime = runtime;
    this.transport = transport;
    this.finder = new LeaderFinder(runtime, lookup, options.believedMax());
    this.options = options;
    this.jitter = runtime.randomness("allocator client");
    this.requestPrefix =
        nodeId + "-" + runtime.wallTimeMillis() + "-" + Long.toHexString(jitter.nextLong()) + "-";
  }

  @Override
  public AllocResult alloc(long tableId, int n, Spacing spacing, boolean unsigned)
      throws InterruptedException {
    byte[] request = LeaderCodec.encode(new AllocRequest(tableId, n, spacing, unsigned));
    return converse(LeaderService.ALLOC, request, LeaderClient::granted)
        .orElse((reason, perhapsDone) -> new AllocResult.Unavailable(reason));
  }

  private static Optional<AllocResult> granted(LeaderReply reply) {
    if (reply instanceof LeaderReply.Granted granted) {
      return Optional.of(
          new AllocResult.Allocated(granted.min(), granted.max(), granted.term()));
    }
    return reply instanceof LeaderReply.Exhausted
        ? Optional.of(new AllocResult.Exhausted())
        : Optional.empty();
  }

  @Override
  public RebaseResult rebase(long tableId, long base, boolean force, boolean unsigned)
      throws InterruptedException {
    String id = requestPrefix + requestNumber.incrementAndGet();
    byte[] request = LeaderCodec.encode(new RebaseRequest(tableId, base, force, unsigned, id));
    return converse(LeaderService.REBASE, request, LeaderClient::moved)
        .orElse(
            (reason, perhapsDone) ->
                perhapsDone
                    ? new RebaseResult.Undetermined(reason)
                    : new RebaseResult.Unavailable(reason));
  }

  private static Optional<RebaseResult> moved(LeaderReply reply) {
    return reply instanceof LeaderReply.Moved moved
        ? Optional.of(new RebaseResult.Rebased(moved.term()))
        : Optional.empty();
  }

  /** Asks leaders until one gives an answer that {@code accept} takes, or time is up. */
  private <T> Conversation<T> converse(
      String method, byte[] request, Function<LeaderReply, Optional<T>> accept)
      throws InterruptedException {
    long deadline = runtime.nanoTime() + options.totalMax().toNanos();
    Duration pause = options.backOffMin();
    boolean perhapsDone = false;
    while (true) {
      Attempt attempt = attempt(method, request, deadline);
      Optional<T> answer = attempt.reply().flatMap(accept);
      if (answer.isPresent()) {
        return new Conversation<>(answer, "", false);
      }
      perhapsDone |= attempt.perhapsDone();
      long left = deadline - runtime.nanoTime();
      if (left <= 0) {
        return new Conversation<>(Optional.empty(), attempt.reason(), perhapsDone);
      }
      runtime.sleep(Duration.ofNanos(Math.min(left, jittered(pause))));
      pause = pause.multipliedBy(2);
      pause = pause.compareTo(options.backOffMax()) > 0 ? options.backOffMax() : pause;
    }
  }

  private long jittered(Duration pause) {
    return (long) (pause.toNanos() * (0.5 + jitter.nextDouble() / 2));
  }

  private Attempt attempt(String method, byte[] request, long deadlineNanos)
      throws InterruptedException {
    Outcome<Optional<String>> found = finder.find();
    if (!(found instanceof Outcome.Done<Optional<String>> done)) {
      return Attempt.undone("the election cannot be read: " + reason(found));
    }
    if (done.value().isEmpty()) {
      return Attempt.undone("nobody leads");
    }
    String address = done.value().get();
    Attempt attempt = ask(address, method, request, deadlineNanos);
    if (attempt.reply().isEmpty()) {
      finder.forget(address);
    }
    return attempt;
  }

  private Attempt ask(String address, String method, byte[] request, long deadlineNanos)
      throws InterruptedException {
    long left = Math.max(1, deadlineNanos - runtime.nanoTime());
    Duration limit = Duration.ofNanos(Math.min(left, options.attemptMax().toNanos()));
    Outcome<byte[]> outcome = transport.call(address, method, request, limit);
    if (!(outcome instanceof Outcome.Done<byte[]> done)) {
      boolean perhapsDone = outcome instanceof Outcome.Unknown<byte[]>;
      return new Attempt(Optional.empty(), reason(outcome), perhapsDone);
    }
    try {
      return Attempt.answered(address, LeaderCodec.decodeReply(done.value()));
    } catch (RequestRefusedException e) {
      return new Attempt(Optional.empty(), address + ": " + e.getMessage(), true);
    }
  }

  private static String reason(Outcome<?> outcome) {
    return outcome instanceof Outcome.Unknown<?> unknown
        ? unknown.reason()
        : ((Outcome.Failed<?>) outcome).reason();
  }

  /** Decides on a result when every attempt was in vain. */
  @FunctionalInterface
  private interface InVain<T> {
    T result(String reason, boolean perhapsDone);
  }

  /** How a request ended with all its repetitions. */
  private record Conversation<T>(Optional<T> answer, String reason, boolean perhapsDone) {
    T orElse(InVain<T> inVain) {
      return answer.orElseGet(() -> inVain.result(reason, perhapsDone));
    }
  }

  /**
   * What came of asking once.
   *
   * @param reply what the leader said, if it lets the caller stay with that leader
   * @param perhapsDone whether the request may have taken effect although there is no answer
   */
  private record Attempt(Optional<LeaderReply> reply, String reason, boolean perhapsDone) {

    static Attempt undone(String reason) {
      return new Attempt(Optional.empty(), reason, false);
    }

    static Attempt answered(String address, LeaderReply reply) {
      if (reply instanceof LeaderReply.NotLeader) {
        return undone(address + " does not lead");
      }
      if (reply instanceof LeaderReply.Failed failed) {
        return undone(address + ": " + failed.reason());
      }
      return reply instanceof LeaderReply.Unknown unknown
          ? new Attempt(Optional.empty(), address + ": " + unknown.reason(), true)
          : new Attempt(Optional.of(reply), "", false);
    }
  }
}
