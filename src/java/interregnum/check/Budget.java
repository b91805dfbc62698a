package interregnum.check;

import java.time.Duration;

/**
 * What a check may use.
 *
 * @param time how long it may run
 * @param heapBytes how much of the heap may be in use, by everybody in this JVM
 * @param threads how many threads it may use
 * @param explanations for how many failures to look for the operations that matter
 */
public record Budget(Duration time, long heapBytes, int threads, int explanations) {

  public Budget {
    if (time.isNegative() || time.isZero() || heapBytes <= 0 || threads <= 0) {
      throw new IllegalArgumentException(
          "time=" + time + ", heapBytes=" + heapBytes + ", threads=" + threads
              + " must be positive");
    }
  }

  /** One hour, nine tenths of the heap there is, and every processor. */
  public static Budget standard() {
    Runtime runtime = Runtime.getRuntime();
    return new Budget(
        Duration.ofHours(1), runtime.maxMemory() / 10 * 9, runtime.availableProcessors(), 8);
  }

  /** The same budget with another time. */
  public Budget withTime(Duration other) {
    return new Budget(other, heapBytes, threads, explanations);
  }

  /** The same budget with another number of explanations. */
  public Budget withExplanations(int other) {
    return new Budget(time, heapBytes, threads, other);
  }
}
