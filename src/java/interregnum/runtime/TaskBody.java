package interregnum.runtime;

/** What a task does. Ends by returning, or by letting the interrupt of its cancellation through. */
@FunctionalInterface
public interface TaskBody {
  void run() throws InterruptedException;
}
