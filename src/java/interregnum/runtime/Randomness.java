package interregnum.runtime;

/** A seeded stream of random numbers. */
public interface Randomness {

  /** Uniform in {@code [0, bound)}. */
  int nextInt(int bound);

  /** Uniform over all longs. */
  long nextLong();

  /** Uniform in {@code [0, 1)}. */
  double nextDouble();
}
