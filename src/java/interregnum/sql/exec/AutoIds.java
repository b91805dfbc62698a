package interregnum.sql.exec;

import interregnum.allocator.AllocResult;
import interregnum.allocator.IdService;
import interregnum.allocator.RebaseResult;
import interregnum.allocator.Spacing;
import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.sql.Values;
import interregnum.table.Column;
import interregnum.table.Row;
import interregnum.table.TableInfo;
import java.math.BigInteger;
import java.util.List;

/** Gives the rows of an INSERT their automatic ids, and lifts the counter over explicit ones. */
final class AutoIds {

  private final IdService ids;
  private final TableInfo table;
  private final Column column;
  private final Spacing spacing;
  private final boolean zeroIsImplicit;
  private long firstImplicit;
  private long lastExplicit;
  private long term;

  AutoIds(
      IdService ids, TableInfo table, Column column, Spacing spacing, boolean zeroIsImplicit) {
    this.ids = ids;
    this.table = table;
    this.column = column;
    this.spacing = spacing;
    this.zeroIsImplicit = zeroIsImplicit;
  }

  /** The first id drawn from the service, as 64 bits; 0 if none was. */
  long firstImplicit() {
    return firstImplicit;
  }

  /** The last id that the statement gave itself, as 64 bits; 0 if it gave none. */
  long lastExplicit() {
    return lastExplicit;
  }

  /** The reign that reserved the last id drawn from the service; 0 if none was. */
  long term() {
    return term;
  }

  /** Fills in the ids of all rows that have none. Neighbouring ones get one batch. */
  void assign(List<Row> rows) throws InterruptedException {
    int at = 0;
    while (at < rows.size()) {
      int end = at;
      while (end < rows.size() && isImplicit(rows.get(end).get(column))) {
        end++;
      }
      if (end > at) {
        draw(rows.subList(at, end), at + 1);
        at = end;
      } else {
        keepExplicit(rows.get(at).get(column));
        at++;
      }
    }
  }

  private boolean isImplicit(Object value) {
    return value == null || zeroIsImplicit && value instanceof Long n && n == 0;
  }

  private void draw(List<Row> rows, int firstRow) throws InterruptedException {
    boolean unsigned = column.type().unsigned();
    AllocResult result = ids.alloc(table.id(), rows.size(), spacing, unsigned);
    if (!(result instanceof AllocResult.Allocated allocated)) {
      throw noIds(result);
    }
    long id = first(allocated.min());
    firstImplicit = firstImplicit == 0 ? id : firstImplicit;
    term = allocated.term();
    for (int i = 0; i < rows.size(); i++) {
      Object value = Values.coerce(column, Values.ofBits(id, unsigned), firstRow + i);
      rows.get(i).set(column, value);
      id += spacing.increment();
    }
  }

  /** The smallest id above {@code min} that fits the spacing. */
  private long first(long min) {
    if (Long.compareUnsigned(min, spacing.offset()) < 0) {
      return spacing.offset();
    }
    long steps = Long.divideUnsigned(min - spacing.offset(), spacing.increment()) + 1;
    return spacing.offset() + steps * spacing.increment();
  }

  /** Makes later automatic ids larger than this explicit one. */
  void keepExplicit(Object value) throws InterruptedException {
    BigInteger id = Values.big(value);
    lastExplicit = id.longValue();
    if (id.signum() <= 0) {
      return;
    }
    RebaseResult result =
        ids.rebase(table.id(), id.longValue(), false, column.type().unsigned());
    if (result instanceof RebaseResult.Unavailable unavailable) {
      throw unavailable(unavailable.reason());
    } else if (result instanceof RebaseResult.Undetermined undetermined) {
      throw unavailable(undetermined.reason());
    }
  }

  private static SqlException noIds(AllocResult result) {
    if (result instanceof AllocResult.Unavailable unavailable) {
      return unavailable(unavailable.reason());
    }
    return SqlError.NO_AUTO_ID.with("No more automatic ids: the column's type holds no larger one");
  }

  private static SqlException unavailable(String reason) {
    return SqlError.NO_AUTO_ID.with(
        "Failed to read auto-increment value from storage engine: %s", reason);
  }
}
