package interregnum.runtime;

import java.time.Duration;
import java.util.Optional;

/** A bounded first-in, first-out queue between tasks. */
public interface Mailbox<T> {

  /** Adds {@code message}, waiting for room at most {@code limit}; false if there was none. */
  boolean offer(T message, Duration limit) throws InterruptedException;

  /** Takes the oldest message, waiting for one at most {@code limit}. */
  Optional<T> poll(Duration limit) throws InterruptedException;

  /** Messages waiting now. */
  int size();
}
