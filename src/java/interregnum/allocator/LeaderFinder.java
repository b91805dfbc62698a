package interregnum.allocator;

import interregnum.runtime.Outcome;
import interregnum.runtime.Runtime;
import java.time.Duration;
import java.util.Optional;

/**
 * Remembers where the leader was found until it fails to answer as one, as the client of the public
 * system does; and not for ever, as an address that went on answering would be believed otherwise.
 * One task at a time looks anew; the others use what is known. Safe for use by any task.
 */
final class LeaderFinder {

  private final Runtime runtime;
  private final LeaderLookup lookup;
  private final Duration believedMax;
  private volatile Optional<Known> known = Optional.empty();

  LeaderFinder(Runtime runtime, LeaderLookup lookup, Duration believedMax) {
    this.runtime = runtime;
    this.lookup = lookup;
    this.believedMax = believedMax;
  }

  private record Known(String address, long sinceNanos) {}

  /** Where the leader listens, if there is one: a hint, as whoever listens there checks. */
  Outcome<Optional<String>> find() throws InterruptedException {
    long now = runtime.nanoTime();
    Optional<Known> before = known;
    if (before.isPresent()) {
      if (now - before.get().sinceNanos() < believedMax.toNanos()) {
        return Outcome.done(Optional.of(before.get().address()));
      }
      known = Optional.of(new Known(before.get().address(), now));
    }
    Outcome<Optional<String>> found = lookup.leaderAddress();
    if (found instanceof Outcome.Done<Optional<String>> done) {
      known = done.value().map(address -> new Known(address, now));
      return found;
    }
    return before.isPresent() ? Outcome.done(before.map(Known::address)) : found;
  }

  /** Looks anew next time, unless another address is known by now. */
  void forget(String address) {
    if (known.map(Known::address).equals(Optional.of(address))) {
      known = Optional.empty();
    }
  }
}
