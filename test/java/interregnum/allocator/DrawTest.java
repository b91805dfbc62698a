package interregnum.allocator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.math.BigInteger;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DrawTest {

  private static Optional<Draw> draw(
      long base, int n, int increment, int offset, boolean unsigned) {
    return Draw.of(
        base, new Draw.Demand(n, new Spacing(increment, offset), Draw.limit(unsigned)));
  }

  @Test
  void takesTheNextIds() {
    assertThat(draw(0, 1, 1, 1, false)).contains(new Draw(0, 1));
    assertThat(draw(4, 3, 1, 1, false)).contains(new Draw(4, 7));
  }

  @Test
  void takesNothingWhenAskedWhereItStands() {
    assertThat(draw(4, 0, 66, 9_527, false)).contains(new Draw(4, 4));
  }

  @Test
  void startsAtTheOffset() {
    assertThat(draw(0, 2, 66, 9_527, false)).contains(new Draw(9_526, 9_593));
    assertThat(draw(9_527, 1, 66, 9_527, false)).contains(new Draw(9_527, 9_593));
  }

  @Test
  void endsAtTheLargestId() {
    assertThat(draw(Long.MAX_VALUE - 1, 1, 1, 1, false))
        .contains(new Draw(Long.MAX_VALUE - 1, Long.MAX_VALUE));
    assertThat(draw(Long.MAX_VALUE, 1, 1, 1, false)).isEmpty();
    assertThat(draw(Long.MAX_VALUE, 1, 1, 1, true))
        .contains(new Draw(Long.MAX_VALUE, Long.MIN_VALUE));
    assertThat(draw(-2L, 1, 1, 1, true)).contains(new Draw(-2L, -1L));
    assertThat(draw(-1L, 1, 1, 1, true)).isEmpty();
    assertThat(draw(-3L, 3, 1, 1, true)).isEmpty();
  }

  @Test
  void refusesASignedColumnWhoseCounterIsBeyondIt() {
    assertThat(draw(-5L, 1, 1, 1, false)).isEmpty();
  }

  /** Against a model that counts up one by one with numbers of any size. */
  @Test
  void agreesWithCounting() {
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    for (int i = 0; i < 50_000; i++) {
      boolean unsigned = random.nextBoolean();
      int increment = 1 + random.nextInt(12);
      int offset = 1 + random.nextInt(20);
      int n = random.nextInt(6);
      long base = interestingBase(random, unsigned);
      Optional<Draw> drawn = draw(base, n, increment, offset, unsigned);
      Optional<Draw> counted = counted(base, n, increment, offset, unsigned);
      if (!drawn.equals(counted)) {
        fail(
            "seed=%d base=%s n=%d increment=%d offset=%d unsigned=%b: %s, not %s",
            seed,
            Long.toUnsignedString(base),
            n,
            increment,
            offset,
            unsigned,
            drawn,
            counted);
      }
    }
  }

  private static long interestingBase(Random random, boolean unsigned) {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextInt(60);
      case 1 -> Draw.limit(unsigned) - random.nextInt(60);
      case 2 -> Long.MAX_VALUE + random.nextInt(60) - 30;
      default -> random.nextLong();
    };
  }

  private static Optional<Draw> counted(
      long base, int n, int increment, int offset, boolean unsigned) {
    if (n == 0) {
      return Optional.of(new Draw(base, base));
    }
    BigInteger limit = unsigned(Draw.limit(unsigned));
    BigInteger first = BigInteger.valueOf(offset);
    BigInteger min = unsigned(base).max(first.subtract(BigInteger.ONE));
    BigInteger id = min;
    int found = 0;
    while (found < n) {
      id = id.add(BigInteger.ONE);
      boolean fits = id.subtract(first).mod(BigInteger.valueOf(increment)).signum() == 0;
      found += fits ? 1 : 0;
    }
    return id.compareTo(limit) > 0
        ? Optional.empty()
        : Optional.of(new Draw(min.longValue(), id.longValue()));
  }

  private static BigInteger unsigned(long value) {
    return new BigInteger(Long.toUnsignedString(value));
  }

  @Test
  void advancesUpToTheLimitAndNotBeyond() {
    assertThat(Draw.advance(0, 4_000, Long.MAX_VALUE)).isEqualTo(4_000);
    assertThat(Draw.advance(Long.MAX_VALUE - 3, 4_000, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(Draw.advance(-4L, 4_000, -1L)).isEqualTo(-1L);
    assertThat(Draw.advance(-1L, 4_000, -1L)).isEqualTo(-1L);
    assertThat(Draw.advance(-5L, 4_000, Long.MAX_VALUE)).isEqualTo(-5L);
  }
}
