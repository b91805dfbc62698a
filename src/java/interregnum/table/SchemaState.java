package interregnum.table;

import java.util.Locale;

/**
 * How far a column or index has come into being. Neighbouring nodes are at most one state apart, so
 * each state is safe beside the one before and the one after it.
 *
 * <pre>
 *   absent -> delete-only -> write-only -> reorganising -> public
 * </pre>
 */
public enum SchemaState {
  ABSENT,
  /** Deletes remove its entries; nothing adds any. */
  DELETE_ONLY,
  /** Every write maintains it; nothing reads it; rows from before may be missing. */
  WRITE_ONLY,
  /** As write-only, while the coordinator fills in what is missing. */
  REORGANISING,
  PUBLIC;

  /** Whether a deleted row's entry must be deleted. */
  public boolean takesDeletes() {
    return this != ABSENT;
  }

  /** Whether a written row's entry must be written. */
  public boolean takesWrites() {
    return compareTo(WRITE_ONLY) >= 0;
  }

  /** Whether statements may name and read it. */
  public boolean isPublic() {
    return this == PUBLIC;
  }

  /** The name as it stands in the store, such as {@code delete-only}. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The state of this {@link #id}. */
  public static SchemaState of(String id) {
    return valueOf(id.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
