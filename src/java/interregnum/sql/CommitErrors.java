package interregnum.sql;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.store.CommitResult;

/** What a client is told when a commit did not go through. */
public final class CommitErrors {

  private CommitErrors() {}

  /** The error for {@code result}, which is not a success. */
  public static SqlException of(CommitResult result) {
    if (result instanceof CommitResult.Conflict) {
      return SqlError.WRITE_CONFLICT.with("Write conflict, nothing was written [try again later]");
    } else if (result instanceof CommitResult.Fenced) {
      return SqlError.SCHEMA_EXPIRED.with(
          "Information schema is out of date: the node lost its session, nothing was written");
    } else if (result instanceof CommitResult.Failed failed) {
      return SqlError.STORE_UNREACHABLE.with("Nothing was written: %s", failed.reason());
    } else if (result instanceof CommitResult.Unknown unknown) {
      return SqlError.UNDETERMINED.with("Commit result undetermined: %s", unknown.reason());
    }
    throw new IllegalArgumentException("not an error: " + result);
  }
}
