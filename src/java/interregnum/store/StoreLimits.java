package interregnum.store;

import java.time.Duration;

/**
 * How long an {@link EtcdStore} waits.
 *
 * @param read for one read
 * @param commit for the reply to a commit
 * @param settle for finding out, after that, what became of a commit without a reply
 */
public record StoreLimits(Duration read, Duration commit, Duration settle) {
  public static final StoreLimits DEFAULT =
      new StoreLimits(Duration.ofSeconds(2), Duration.ofSeconds(2), Duration.ofSeconds(3));
}
