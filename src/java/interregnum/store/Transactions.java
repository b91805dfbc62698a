package interregnum.store;

import interregnum.runtime.Randomness;
import interregnum.runtime.Runtime;
import java.time.Duration;

/**
 * Runs transactions again when they meet a conflict. Nothing else is repeated: a commit with an
 * unknown outcome may have happened, and a fenced one can never.
 */
public final class Transactions {
  private static final long PAUSE_NANOS = Duration.ofMillis(2).toNanos();
  private static final int PAUSE_DOUBLINGS = 5;

  private final Runtime runtime;
  private final Store store;
  private final Randomness randomness;
  private final int attempts;

  /**
   * @param attempts how often a transaction is run at most
   */
  public Transactions(Runtime runtime, Store store, int attempts) {
    this.runtime = runtime;
    this.store = store;
    this.attempts = attempts;
    this.randomness = runtime.randomness("transactions");
  }

  /**
   * Runs {@code body} on fresh transactions until one does not conflict, and commits it. A body
   * that writes nothing commits nothing.
   *
   * @throws StoreUnavailableException if a read was not answered; nothing has been written then
   */
  public <T> Ended<T> run(Body<T> body) throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      StoreTxn txn = store.begin();
      T value = body.run(txn);
      CommitResult result = txn.commit();
      if (attempt == attempts || !(result instanceof CommitResult.Conflict)) {
        return new Ended<>(value, result);
      }
      long bound = PAUSE_NANOS << Math.min(attempt, PAUSE_DOUBLINGS);
      runtime.sleep(Duration.ofNanos((long) (randomness.nextDouble() * bound)));
    }
  }

  /** What to do in a transaction; may run several times. */
  @FunctionalInterface
  public interface Body<T> {
    T run(StoreTxn txn) throws InterruptedException;
  }

  /** What the last run of the body returned, and how its commit ended. */
  public record Ended<T>(T value, CommitResult result) {

    /** Whether the writes are in the store. */
    public boolean isCommitted() {
      return result instanceof CommitResult.Committed;
    }
  }
}
