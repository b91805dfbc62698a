package interregnum.transport;

/** Answers one method's requests; called by many tasks at once. */
@FunctionalInterface
public interface RequestHandler {

  /**
   * The reply to a request.
   *
   * @throws RequestRefusedException if the request was not carried out and never will be
   */
  byte[] handle(byte[] request) throws InterruptedException;
}
