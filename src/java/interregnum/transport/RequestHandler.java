package interregnum.transport;

/** Answers one method's requests; called by many tasks at once. */
@FunctionalInterface
public interface RequestHandler {
  byte[] handle(byte[] request) throws InterruptedException;
}
