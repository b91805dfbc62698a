package interregnum.allocator;

/**
 * Which ids a session takes: those that are {@code offset} modulo {@code increment}, from {@code
 * offset} on ({@code auto_increment_increment} and {@code auto_increment_offset}).
 */
public record Spacing(int increment, int offset) {

  /** The largest value that either part may have. */
  public static final int MAX = 65_535;

  /** Every id. */
  public static final Spacing DENSE = new Spacing(1, 1);

  public Spacing {
    check("increment", increment);
    check("offset", offset);
  }

  private static void check(String name, int value) {
    if (value < 1 || value > MAX) {
      throw new IllegalArgumentException(name + "=" + value + " is not in [1, " + MAX + "]");
    }
  }
}
