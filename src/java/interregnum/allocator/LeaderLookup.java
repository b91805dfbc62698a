package interregnum.allocator;

import interregnum.runtime.Outcome;
import java.util.Optional;

/** Finds out where the allocator's leader listens. */
@FunctionalInterface
public interface LeaderLookup {

  /** The address ({@code host:port}) that the election's holder advertises, if there is one. */
  Outcome<Optional<String>> leaderAddress() throws InterruptedException;
}
