package interregnum.sql.exec;

import interregnum.allocator.IdService;
import interregnum.allocator.Spacing;
import interregnum.error.SqlError;
import interregnum.sql.Expr;
import interregnum.sql.Statement.Assignment;
import interregnum.sql.Statement.Insert;
import interregnum.sql.Values;
import interregnum.table.Column;
import interregnum.table.Keys;
import interregnum.table.Row;
import interregnum.table.TableInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Runs one execution of an INSERT or REPLACE. When its transaction is tried again after a write
 * conflict, the same runner runs again and keeps the ids it has drawn.
 */
final class InsertRunner {

  private final Insert insert;
  private final Evaluator values;
  private final IdService ids;
  private final Spacing spacing;
  private final boolean zeroIsImplicit;
  private final boolean countFound;
  private final Supplier<String> hiddenKeys;
  private TableInfo table;
  private List<Row> rows;
  private Optional<AutoIds> autoIds = Optional.empty();

  InsertRunner(
      Insert insert, Evaluator values, IdService ids, SessionSettings settings,
      Supplier<String> hiddenKeys) {
    this.insert = insert;
    this.values = values;
    this.ids = ids;
    this.spacing = settings.spacing();
    this.zeroIsImplicit = settings.zeroIsImplicit();
    this.countFound = settings.countFound();
    this.hiddenKeys = hiddenKeys;
  }

  /** The first id drawn from the id service, as 64 bits; 0 if none was. */
  long firstImplicitId() {
    return autoIds.map(AutoIds::firstImplicit).orElse(0L);
  }

  /** The reign that reserved the ids it drew; 0 if it drew none. */
  long term() {
    return autoIds.map(AutoIds::term).orElse(0L);
  }

  Result.Done run(TableInfo current, Transaction transaction) throws InterruptedException {
    if (!current.equals(table)) {
      prepare(current);
    }
    StatementWrites writes = new StatementWrites(transaction.store());
    RowWriter writer = new RowWriter(table, writes, hiddenKeys);
    List<String> keys = rows.stream().map(writer::keyOf).toList();
    if (rows.size() > 1) {
      writes.preload(keys.stream().map(k -> Keys.row(table.id(), k)).sorted().toList());
    }
    long affected = 0;
    for (int i = 0; i < rows.size(); i++) {
      affected += write(writer, keys.get(i), rows.get(i));
    }
    transaction.apply(writes);
    String info =
        rows.size() > 1 ? "Records: " + rows.size() + "  Duplicates: 0  Warnings: 0" : "";
    return new Result.Done(affected, reportedId(), info);
  }

  /** Computes the rows; ids drawn for the same table before an alteration of it are kept. */
  private void prepare(TableInfo current) throws InterruptedException {
    boolean sameTable = table != null && table.id() == current.id();
    Optional<Column> drawn = sameTable ? table.autoColumn() : Optional.empty();
    List<Row> before = rows;
    table = current;
    rows = rows();
    Optional<Column> auto = table.autoColumn();
    if (auto.isPresent() && drawn.isPresent()) {
      for (int i = 0; i < rows.size(); i++) {
        rows.get(i).set(auto.get(), before.get(i).get(drawn.get()));
      }
    } else if (auto.isPresent()) {
      autoIds = Optional.of(new AutoIds(ids, table, auto.get(), spacing, zeroIsImplicit));
      autoIds.get().assign(rows);
    }
  }

  private long reportedId() {
    long implicit = firstImplicitId();
    return implicit != 0 ? implicit : autoIds.map(AutoIds::lastExplicit).orElse(0L);
  }

  private long write(RowWriter writer, String key, Row row) throws InterruptedException {
    if (!insert.replace() && insert.onDuplicate().isEmpty()) {
      writer.insert(key, row);
      return 1;
    }
    Optional<StoredRow> obstacle = writer.obstacle(key, row);
    if (obstacle.isEmpty()) {
      writer.insert(key, row);
      return 1;
    }
    return insert.replace()
        ? replace(writer, key, row)
        : updateInstead(writer, obstacle.get(), row);
  }

  private static long replace(RowWriter writer, String key, Row row) throws InterruptedException {
    long deleted = 0;
    Optional<StoredRow> obstacle = writer.obstacle(key, row);
    while (obstacle.isPresent()) {
      writer.delete(obstacle.get());
      deleted++;
      obstacle = writer.obstacle(key, row);
    }
    writer.insert(key, row);
    return deleted + 1;
  }

  private long updateInstead(RowWriter writer, StoredRow old, Row inserted)
      throws InterruptedException {
    Row changed = new Row(old.row());
    RowScope scope = new RowScope(table, table.name(), changed, inserted);
    boolean differs = false;
    for (Assignment assignment : insert.onDuplicate()) {
      Column column = column(assignment.column());
      Object value = Values.coerce(column, values.eval(assignment.value(), scope), 1);
      differs |= !Objects.equals(value, changed.get(column));
      changed.set(column, value);
    }
    if (!differs) {
      return countFound ? 1 : 0;
    }
    writer.update(old, changed);
    return 2;
  }

  private List<Row> rows() {
    List<Column> columns = columns();
    List<Row> out = new ArrayList<>();
    for (List<Expr> given : insert.rows()) {
      int number = out.size() + 1;
      boolean allDefaults = given.isEmpty() && insert.columns().isEmpty();
      if (given.size() != columns.size() && !allDefaults) {
        throw SqlError.VALUE_COUNT.with(
            "Column count doesn't match value count at row %d", number);
      }
      out.add(row(allDefaults ? List.of() : columns, given, number));
    }
    return out;
  }

  private Row row(List<Column> columns, List<Expr> given, int number) {
    Row row = new Row();
    table
        .columns()
        .forEach(c -> row.set(c, c.state().isPublic() ? c.defaultValue() : c.valueIfAbsent()));
    for (int i = 0; i < given.size(); i++) {
      Column column = columns.get(i);
      if (given.get(i) instanceof Expr.Default) {
        requireDefault(column);
        continue;
      }
      Object value = values.constant(given.get(i));
      boolean drawsId = column.autoIncrement() && value == null;
      row.set(column, drawsId ? null : Values.coerce(column, value, number));
    }
    for (Column column : table.publicColumns()) {
      if (!columns.contains(column)) {
        requireDefault(column);
      }
    }
    return row;
  }

  private static void requireDefault(Column column) {
    boolean hasDefault =
        column.nullable() || column.defaultValue() != null || column.autoIncrement();
    if (!hasDefault) {
      throw SqlError.NO_DEFAULT.with("Field '%s' doesn't have a default value", column.name());
    }
  }

  private List<Column> columns() {
    insert.onDuplicate().forEach(assignment -> column(assignment.column()));
    if (insert.columns().isEmpty()) {
      return table.publicColumns();
    }
    List<Column> out = new ArrayList<>();
    for (String name : insert.columns()) {
      Column column = column(name);
      if (out.contains(column)) {
        throw SqlError.COLUMN_TWICE.with("Column '%s' specified twice", name);
      }
      out.add(column);
    }
    return out;
  }

  private Column column(String name) {
    return table
        .column(name)
        .orElseThrow(
            () -> SqlError.UNKNOWN_COLUMN.with("Unknown column '%s' in '%s'", name, "field list"));
  }
}
