package interregnum.allocator;

import java.time.Duration;

/**
 * How long the client side tries.
 *
 * @param attemptMax how long one request may take
 * @param totalMax how long a call may take with all its repetitions
 * @param backOffMin how long to wait before the first repetition; doubles from there
 * @param backOffMax where it stops to double
 * @param believedMax how long a leader is taken for one without another look
 */
public record ClientOptions(
    Duration attemptMax,
    Duration totalMax,
    Duration backOffMin,
    Duration backOffMax,
    Duration believedMax) {

  /** For leases of a few seconds. */
  public static final ClientOptions DEFAULT =
      new ClientOptions(
          Duration.ofSeconds(2),
          Duration.ofSeconds(10),
          Duration.ofMillis(25),
          Duration.ofMillis(800),
          Duration.ofSeconds(5));
}
