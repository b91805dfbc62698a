package interregnum.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * A row's entry in an index. Its value holds the row's encoded key and the values of the indexed
 * and the primary key's columns, so that a query for no others need not read the row.
 */
public final class IndexEntry {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String KEY = "key";

  private IndexEntry() {}

  /** Where the entry of {@code row}, which stands under {@code rowKey}, stands. */
  public static String storeKey(TableInfo table, IndexInfo index, Row row, String rowKey) {
    return Keys.indexEntry(table.id(), index, row.values(table, index.columns()), rowKey);
  }

  /** The entry's value. */
  public static String write(TableInfo table, IndexInfo index, Row row, String rowKey) {
    ObjectNode node = JSON.createObjectNode().put(KEY, rowKey);
    for (Column column : table.columns()) {
      if (holds(table, index, column)) {
        node.set(Integer.toString(column.id()), RowJson.node(row.get(column)));
      }
    }
    return node.toString();
  }

  /** The encoded key of the row that an entry is for. */
  public static String rowKey(String json) {
    return parse(json).get(KEY).textValue();
  }

  /** The part of the row that an entry holds. */
  public static Row read(TableInfo table, IndexInfo index, String json) {
    JsonNode node = parse(json);
    Row row = new Row();
    for (Column column : table.columns()) {
      JsonNode value = node.get(Integer.toString(column.id()));
      if (value != null && holds(table, index, column)) {
        row.set(column, RowJson.value(value));
      }
    }
    return row;
  }

  /** Whether entries of {@code index} hold the values of {@code column}. */
  public static boolean holds(TableInfo table, IndexInfo index, Column column) {
    return isAmong(column, index.columns()) || isAmong(column, table.primaryKey());
  }

  private static boolean isAmong(Column column, List<String> names) {
    return names.stream().anyMatch(column::isNamed);
  }

  private static JsonNode parse(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not an index entry: " + json, e);
    }
  }
}
