package interregnum.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import interregnum.table.DdlStatement.AddColumn;
import interregnum.table.DdlStatement.AddIndex;
import interregnum.table.DdlStatement.CreateTable;
import interregnum.table.DdlStatement.DropColumn;
import interregnum.table.DdlStatement.DropIndex;
import interregnum.table.DdlStatement.DropTable;
import interregnum.table.DdlStatement.RenameTable;
import interregnum.table.DdlStatement.SetAutoIncrement;
import interregnum.table.DdlStatement.TruncateTable;
import java.util.List;

/** Schema changes as JSON, to stand inside the rows of the job queue. */
public final class DdlStatementJson {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TYPE = "type";

  /** Statements whose parts are texts, numbers and lists of these. */
  private static final List<Class<? extends DdlStatement>> PLAIN =
      List.of(
          DropTable.class,
          TruncateTable.class,
          RenameTable.class,
          DropColumn.class,
          AddIndex.class,
          DropIndex.class,
          SetAutoIncrement.class);

  private DdlStatementJson() {}

  /** The statement as a tree. */
  public static ObjectNode toNode(DdlStatement statement) {
    ObjectNode node;
    if (statement instanceof CreateTable create) {
      node = JSON.createObjectNode().put("ifNotExists", create.ifNotExists());
      node.set("table", TableJson.toNode(create.table()));
    } else if (statement instanceof AddColumn add) {
      node = JSON.createObjectNode().put("database", add.database()).put("name", add.name());
      node.set("column", TableJson.columnNode(add.column()));
    } else {
      node = JSON.valueToTree(statement);
    }
    return node.put(TYPE, statement.getClass().getSimpleName());
  }

  /** The statement that {@link #toNode} made. */
  public static DdlStatement fromNode(JsonNode node) {
    String type = node.get(TYPE).textValue();
    if (type.equals(CreateTable.class.getSimpleName())) {
      return new CreateTable(
          TableJson.fromNode(node.get("table")), node.get("ifNotExists").booleanValue());
    } else if (type.equals(AddColumn.class.getSimpleName())) {
      return new AddColumn(
          node.get("database").textValue(),
          node.get("name").textValue(),
          TableJson.column(node.get("column")));
    }
    for (Class<? extends DdlStatement> plain : PLAIN) {
      if (plain.getSimpleName().equals(type)) {
        return read(node, plain);
      }
    }
    throw new IllegalArgumentException("not a schema change: " + node);
  }

  private static DdlStatement read(JsonNode node, Class<? extends DdlStatement> type) {
    ObjectNode parts = node.deepCopy();
    parts.remove(TYPE);
    try {
      return JSON.treeToValue(parts, type);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a schema change: " + node, e);
    }
  }
}
