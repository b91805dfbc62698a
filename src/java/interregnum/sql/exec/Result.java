package interregnum.sql.exec;

import java.util.Arrays;
import java.util.List;

/** What a statement answers. */
public sealed interface Result {

  /** Rows; each has a value per column, null for NULL. */
  record Rows(List<ResultColumn> columns, List<List<Object>> rows) implements Result {

    /** One row of values, which may be NULL. */
    public static List<Object> row(Object... values) {
      return Arrays.asList(values);
    }
  }

  /**
   * Success without rows.
   *
   * @param affected rows changed
   * @param lastInsertId the first automatic id, or the last explicit one, or 0; as 64 bits
   * @param info a line for people, may be empty
   */
  record Done(long affected, long lastInsertId, String info) implements Result {

    /** Success that changed nothing. */
    public static final Done NOTHING = new Done(0, 0, "");
  }
}
