package interregnum.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** Table definitions as the JSON that stands in the store. */
public final class TableJson {

  private static final ObjectMapper JSON = new ObjectMapper();

  private TableJson() {}

  /** The definition as one line of JSON. */
  public static String write(TableInfo table) {
    return toNode(table).toString();
  }

  /** The definition that {@link #write} wrote. */
  public static TableInfo read(String json) {
    try {
      return fromNode(JSON.readTree(json));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a table definition: " + json, e);
    }
  }

  /** The definition as a tree, to stand inside other JSON. */
  public static ObjectNode toNode(TableInfo table) {
    ObjectNode node = JSON.createObjectNode();
    node.put("id", table.id()).put("database", table.database()).put("name", table.name());
    ArrayNode columns = node.putArray("columns");
    table.columns().forEach(c -> columns.add(columnNode(c)));
    ArrayNode primaryKey = node.putArray("primaryKey");
    table.primaryKey().forEach(primaryKey::add);
    ArrayNode indexes = node.putArray("indexes");
    table.indexes().forEach(i -> indexes.add(indexNode(i)));
    node.put("autoIdCache", table.autoIdCache());
    node.put("autoIncrementStart", table.autoIncrementStart());
    node.put("maxColumnId", table.maxColumnId()).put("maxIndexId", table.maxIndexId());
    node.put("state", table.state().id());
    return node;
  }

  /** The definition that {@link #toNode} made. */
  public static TableInfo fromNode(JsonNode node) {
    List<Column> columns = new ArrayList<>();
    node.get("columns").forEach(c -> columns.add(column(c)));
    List<IndexInfo> indexes = new ArrayList<>();
    node.get("indexes").forEach(i -> indexes.add(index(i)));
    return new TableInfo(
        node.get("id").longValue(),
        node.get("database").textValue(),
        node.get("name").textValue(),
        columns,
        texts(node.get("primaryKey")),
        indexes,
        node.get("autoIdCache").longValue(),
        node.get("autoIncrementStart").longValue(),
        node.get("maxColumnId").intValue(),
        node.get("maxIndexId").intValue(),
        SchemaState.of(node.get("state").textValue()));
  }

  /** A column as a tree. */
  public static ObjectNode columnNode(Column column) {
    ObjectNode node = JSON.createObjectNode();
    node.put("id", column.id()).put("name", column.name());
    node.put("type", column.type().kind().name()).put("unsigned", column.type().unsigned());
    node.put("length", column.type().length()).put("nullable", column.nullable());
    node.set("default", RowJson.node(column.defaultValue()));
    node.put("autoIncrement", column.autoIncrement()).put("state", column.state().id());
    return node;
  }

  /** The column that {@link #columnNode} made. */
  public static Column column(JsonNode node) {
    ColumnType type =
        new ColumnType(
            ColumnType.Kind.valueOf(node.get("type").textValue()),
            node.get("unsigned").booleanValue(),
            node.get("length").intValue());
    return new Column(
        node.get("id").intValue(),
        node.get("name").textValue(),
        type,
        node.get("nullable").booleanValue(),
        RowJson.value(node.get("default")),
        node.get("autoIncrement").booleanValue(),
        SchemaState.of(node.get("state").textValue()));
  }

  private static ObjectNode indexNode(IndexInfo index) {
    ObjectNode node = JSON.createObjectNode();
    node.put("id", index.id()).put("name", index.name());
    ArrayNode columns = node.putArray("columns");
    index.columns().forEach(columns::add);
    node.put("unique", index.unique()).put("state", index.state().id());
    return node;
  }

  private static IndexInfo index(JsonNode node) {
    return new IndexInfo(
        node.get("id").intValue(),
        node.get("name").textValue(),
        texts(node.get("columns")),
        node.get("unique").booleanValue(),
        SchemaState.of(node.get("state").textValue()));
  }

  private static List<String> texts(JsonNode array) {
    List<String> out = new ArrayList<>();
    array.forEach(n -> out.add(n.textValue()));
    return out;
  }
}
