package interregnum.coordinator;

import com.fasterxml.jackson.databind.JsonNode;
import interregnum.error.SqlError;
import interregnum.schema.JsonText;
import interregnum.table.DdlStatement;
import interregnum.table.DdlStatement.AddColumn;
import interregnum.table.DdlStatement.AddIndex;
import interregnum.table.DdlStatement.DropColumn;
import interregnum.table.DdlStatement.DropIndex;
import interregnum.table.DdlStatement.DropTable;
import interregnum.table.DdlStatement.RenameTable;
import interregnum.table.DdlStatementJson;
import interregnum.table.Keys;
import interregnum.table.SchemaState;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A schema change on its way.
 *
 * @param newTableId the id of the table that a create or truncate makes, else 0
 * @param submittedBy the node whose client asked for it
 */
public record DdlJob(
    long id,
    DdlStatement statement,
    long newTableId,
    String submittedBy,
    JobProgress progress) {

  /** What stands in the store. */
  private record Text(
      long id, JsonNode statement, long newTableId, String submittedBy, JobProgress progress) {}

  static DdlJob queued(long id, DdlStatement statement, long newTableId, String submittedBy) {
    boolean drops =
        statement instanceof DropTable
            || statement instanceof DropColumn
            || statement instanceof DropIndex;
    SchemaState first = drops ? SchemaState.PUBLIC : SchemaState.ABSENT;
    return new DdlJob(id, statement, newTableId, submittedBy, JobProgress.queued(first));
  }

  /** The job as one line of JSON. */
  String json() {
    return JsonText.write(
        new Text(id, DdlStatementJson.toNode(statement), newTableId, submittedBy, progress));
  }

  static DdlJob read(String json) {
    Text text = JsonText.read(json, Text.class);
    return new DdlJob(
        text.id,
        DdlStatementJson.fromNode(text.statement),
        text.newTableId,
        text.submittedBy,
        text.progress);
  }

  DdlJob with(JobProgress newProgress) {
    return new DdlJob(id, statement, newTableId, submittedBy, newProgress);
  }

  /** The kind of change, such as {@code add index}. */
  public String type() {
    String name = statement.getClass().getSimpleName();
    return name.replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
  }

  /** Where the definitions of the tables it is about stand. */
  List<String> tableKeys() {
    String key = Keys.table(statement.database(), statement.name());
    return statement instanceof RenameTable rename
        ? List.of(key, Keys.table(rename.newDatabase(), rename.newName()))
        : List.of(key);
  }

  /** Whether it changes something step by step, so that it can be undone in the middle. */
  boolean canRollBack() {
    return statement instanceof AddColumn || statement instanceof AddIndex;
  }

  /** The error it ended with, if it did not succeed. */
  public Optional<SqlError> error() {
    return progress.error().isEmpty()
        ? Optional.empty()
        : Optional.of(SqlError.valueOf(progress.error()));
  }

  /** Failpoint labels that name it. */
  String[] labels(String nodeLabel) {
    return new String[] {
      nodeLabel, "table=" + statement.name(), "job=" + id, "type=" + type()
    };
  }
}
