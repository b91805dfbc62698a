package interregnum.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;

/**
 * Rows as the JSON that stands in the store: column id to value. A row written before a column was
 * added lacks it and reads as the column's value for such rows.
 */
public final class RowJson {

  private static final ObjectMapper JSON = new ObjectMapper();

  private RowJson() {}

  /** A row as one line of JSON. Values of columns in no writable state are left out. */
  public static String write(TableInfo table, Row row) {
    ObjectNode node = JSON.createObjectNode();
    for (Column column : table.columns()) {
      if (column.state().takesWrites()) {
        node.set(Integer.toString(column.id()), node(row.get(column)));
      }
    }
    return node.toString();
  }

  /** The row that {@link #write} wrote, with a value for every column of {@code table}. */
  public static Row read(TableInfo table, String json) {
    JsonNode node;
    try {
      node = JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a row: " + json, e);
    }
    Row row = new Row();
    for (Column column : table.columns()) {
      JsonNode value = node.get(Integer.toString(column.id()));
      row.set(column, value == null ? column.valueIfAbsent() : value(value));
    }
    return row;
  }

  /** A value as the JSON that stores it. */
  static JsonNode node(Object value) {
    JsonNodeFactory factory = JSON.getNodeFactory();
    if (value == null) {
      return factory.nullNode();
    } else if (value instanceof Long n) {
      return factory.numberNode(n.longValue());
    } else if (value instanceof BigInteger n) {
      return factory.numberNode(n);
    } else if (value instanceof Double d) {
      return factory.numberNode(d.doubleValue());
    }
    return factory.textNode((String) value);
  }

  /** A stored value as {@code Long}, {@code BigInteger}, {@code Double}, {@code String} or null. */
  static Object value(JsonNode node) {
    if (node.isTextual()) {
      return node.textValue();
    }
    if (node.isFloatingPointNumber()) {
      return node.doubleValue();
    }
    if (node.isNull()) {
      return null;
    }
    return node.canConvertToLong() ? (Object) node.longValue() : node.bigIntegerValue();
  }
}
