package interregnum.transport;

import interregnum.runtime.Outcome;
import java.time.Duration;

/** Sends requests to other nodes, and to this one, by address. */
public interface Transport {

  /**
   * Calls {@code method} at {@code address} ({@code host:port}).
   *
   * @return the reply; {@link Outcome.Failed} if the request certainly did not run there
   */
  Outcome<byte[]> call(String address, String method, byte[] request, Duration timeout)
      throws InterruptedException;
}
