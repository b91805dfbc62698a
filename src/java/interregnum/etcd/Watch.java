package interregnum.etcd;

import java.time.Duration;
import java.util.Optional;

/** A running watch. One task polls it; any task may close it. */
public interface Watch extends AutoCloseable {

  /** The next event, waiting for one at most {@code limit}. */
  Optional<WatchEvent> poll(Duration limit) throws InterruptedException;

  @Override
  void close();
}
