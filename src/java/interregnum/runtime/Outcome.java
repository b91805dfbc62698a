package interregnum.runtime;

import java.util.function.Function;

/**
 * What came of asking the outside world for something: it was done, it was certainly not done, or
 * nobody knows. A caller may repeat a {@link Failed} request; an {@link Unknown} one may have taken
 * effect, or may still.
 */
public sealed interface Outcome<T> {

  /** The request was carried out. */
  record Done<T>(T value) implements Outcome<T> {}

  /** The request certainly had, and will have, no effect. */
  record Failed<T>(String reason) implements Outcome<T> {}

  /** The request may have taken effect, or may yet. */
  record Unknown<T>(String reason) implements Outcome<T> {}

  static <T> Outcome<T> done(T value) {
    return new Done<>(value);
  }

  static <T> Outcome<T> failed(String reason) {
    return new Failed<>(reason);
  }

  static <T> Outcome<T> unknown(String reason) {
    return new Unknown<>(reason);
  }

  /** The outcome with {@code f} applied to the value of a {@link Done}. */
  default <R> Outcome<R> map(Function<? super T, ? extends R> f) {
    if (this instanceof Done<T> d) {
      return new Done<>(f.apply(d.value()));
    }
    return this instanceof Failed<T> failure
        ? new Failed<>(failure.reason())
        : new Unknown<>(((Unknown<T>) this).reason());
  }
}
