package interregnum.runtime;

/**
 * Told of a throwable that escaped a task. A node's handler ends the process: a task that dies
 * silently would leave a node that looks alive and no longer does its work.
 */
@FunctionalInterface
public interface FailureHandler {
  void taskFailed(String taskName, Throwable cause);
}
