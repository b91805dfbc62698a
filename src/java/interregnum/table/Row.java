package interregnum.table;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A row's values by column: {@code Long}, {@code BigInteger} (beyond a long), {@code Double},
 * {@code String} or null. Mutable; used by one task.
 */
public final class Row {

  private final Map<Integer, Object> values = new LinkedHashMap<>();

  public Row() {}

  /** A row with the same values. */
  public Row(Row other) {
    values.putAll(other.values);
  }

  /** The value of {@code column}, null for NULL. */
  public Object get(Column column) {
    return values.get(column.id());
  }

  /** Gives {@code column} a value, null for NULL. */
  public void set(Column column, Object value) {
    values.put(column.id(), value);
  }

  /** The values of the named columns of {@code table}, in that order. */
  public List<Object> values(TableInfo table, List<String> columnNames) {
    List<Object> out = new ArrayList<>();
    for (String name : columnNames) {
      for (Column column : table.columns()) {
        if (column.isNamed(name)) {
          out.add(get(column));
        }
      }
    }
    return out;
  }
}
