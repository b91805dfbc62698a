package interregnum.coordinator;

import interregnum.table.SchemaState;

/**
 * How far a job has come, and with what result.
 *
 * @param schemaState the state of the column or index that the job adds or drops
 * @param version the schema version of the last step, 0 before the first
 * @param owner the node and term that did the last step; empty before the first
 * @param paused whether no step is to be done for now
 * @param error the name of the error that ended it, or empty
 * @param message what the client is told about that error
 */
public record JobProgress(
    JobState state,
    SchemaState schemaState,
    long version,
    String owner,
    boolean paused,
    String error,
    String message) {

  /** Nothing done yet; {@code schemaState} is that of the column or index before the job. */
  static JobProgress queued(SchemaState schemaState) {
    return new JobProgress(JobState.QUEUED, schemaState, 0, "", false, "", "");
  }

  /** The same with the step to these states done. */
  JobProgress to(JobState newState, SchemaState newSchemaState) {
    return new JobProgress(newState, newSchemaState, version, owner, paused, error, message);
  }

  JobProgress in(JobState newState) {
    return to(newState, schemaState);
  }

  JobProgress by(String newOwner, long newVersion) {
    return new JobProgress(state, schemaState, newVersion, newOwner, paused, error, message);
  }

  JobProgress paused(boolean value) {
    return new JobProgress(state, schemaState, version, owner, value, error, message);
  }

  JobProgress failed(String newError, String newMessage) {
    return new JobProgress(state, schemaState, version, owner, paused, newError, newMessage);
  }
}
