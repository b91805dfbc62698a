package interregnum.runtime;

import java.util.Random;

/** A named stream: its seed mixes the runtime's seed with the stream's name. */
final class SystemRandomness implements Randomness {
  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  private final Random random;

  SystemRandomness(long seed, String stream) {
    this.random = new Random(seed * GOLDEN_GAMMA + stream.hashCode());
  }

  @Override
  public int nextInt(int bound) {
    return random.nextInt(bound);
  }

  @Override
  public long nextLong() {
    return random.nextLong();
  }

  @Override
  public double nextDouble() {
    return random.nextDouble();
  }
}
