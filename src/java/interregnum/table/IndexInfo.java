package interregnum.table;

import java.util.List;

/**
 * A secondary index.
 *
 * @param id never reused within the table; entries stand under it
 * @param columns names of the indexed columns, in order
 */
public record IndexInfo(
    int id, String name, List<String> columns, boolean unique, SchemaState state) {

  public IndexInfo {
    columns = List.copyOf(columns);
  }

  /** Whether {@code other} names this index. */
  public boolean isNamed(String other) {
    return name.equalsIgnoreCase(other);
  }

  /** The same index in another state. */
  public IndexInfo in(SchemaState newState) {
    return new IndexInfo(id, name, columns, unique, newState);
  }
}
