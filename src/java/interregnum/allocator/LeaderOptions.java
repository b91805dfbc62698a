package interregnum.allocator;

import java.time.Duration;

/**
 * How the leader side works.
 *
 * @param nodeId the node's name, as failpoints filter by it
 * @param step how many ids a reservation takes
 * @param waitMax how long a request waits for another one's reservation
 * @param modes its safeguards
 */
public record LeaderOptions(String nodeId, int step, Duration waitMax, AllocatorModes modes) {

  /** How many ids a reservation takes, by default. */
  public static final int STEP_DEFAULT = 4_000;

  private static final Duration WAIT_MAX_DEFAULT = Duration.ofMillis(1_500);

  public LeaderOptions {
    if (step < 1) {
      throw new IllegalArgumentException("step=" + step + " is not positive");
    }
  }

  public LeaderOptions(String nodeId, int step, AllocatorModes modes) {
    this(nodeId, step, WAIT_MAX_DEFAULT, modes);
  }
}
