package interregnum.sql.exec;

import interregnum.allocator.AllocResult;
import interregnum.allocator.IdService;
import interregnum.allocator.Spacing;
import interregnum.error.SqlError;
import interregnum.sql.Statement.Show;
import interregnum.sql.Values;
import interregnum.table.Column;
import interregnum.table.IndexInfo;
import interregnum.table.TableInfo;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs SHOW statements. */
final class ShowRunner {

  private ShowRunner() {}

  /** Whether what is to be shown is in the store. */
  static boolean needsTransaction(Show show) {
    return switch (show.what()) {
      case TABLES, FULL_TABLES, COLUMNS, INDEXES, CREATE_TABLE, NEXT_ROW_ID -> true;
      default -> false;
    };
  }

  static Result.Rows databases(List<String> names, String pattern) {
    return column("Database", matching(names, pattern));
  }

  static Result.Rows variables(Map<String, Object> variables, String pattern) {
    List<List<Object>> rows = new ArrayList<>();
    for (String name : matching(List.copyOf(variables.keySet()), pattern)) {
      Object value = variables.get(name);
      rows.add(Result.Rows.row(name, value == null ? "" : Values.toText(value)));
    }
    return new Result.Rows(texts("Variable_name", "Value"), rows);
  }

  static Result.Rows warnings() {
    return new Result.Rows(texts("Level", "Code", "Message"), List.of());
  }

  static Result.Rows empty() {
    return new Result.Rows(texts("Name"), List.of());
  }

  /** Shows something of the tables in the store. */
  static Result.Rows ofTables(Show show, String database, Transaction transaction, IdService ids)
      throws InterruptedException {
    if (show.what() == Show.What.TABLES) {
      List<String> names = transaction.tables().tables(database);
      return column("Tables_in_" + database, matching(names, show.pattern()));
    } else if (show.what() == Show.What.FULL_TABLES) {
      List<List<Object>> rows = new ArrayList<>();
      for (String name : matching(transaction.tables().tables(database), show.pattern())) {
        rows.add(Result.Rows.row(name, "BASE TABLE"));
      }
      return new Result.Rows(texts("Tables_in_" + database, "Table_type"), rows);
    }
    TableInfo table = transaction.table(database, show.table());
    return switch (show.what()) {
      case COLUMNS -> columns(table);
      case INDEXES -> indexes(table);
      case CREATE_TABLE ->
          new Result.Rows(
              texts("Table", "Create Table"),
              List.of(Result.Rows.row(table.name(), CreateTableText.of(table))));
      default -> nextRowId(table, ids);
    };
  }

  private static Result.Rows columns(TableInfo table) {
    List<List<Object>> rows = new ArrayList<>();
    for (Column c : table.publicColumns()) {
      boolean primary = table.primaryKey().stream().anyMatch(c::isNamed);
      boolean indexed = table.indexes().stream().anyMatch(i -> c.isNamed(i.columns().get(0)));
      rows.add(
          Result.Rows.row(
              c.name(),
              c.type().sql(),
              c.nullable() ? "YES" : "NO",
              primary ? "PRI" : indexed ? "MUL" : "",
              c.defaultValue() == null ? null : Values.toText(c.defaultValue()),
              c.autoIncrement() ? "auto_increment" : ""));
    }
    return new Result.Rows(texts("Field", "Type", "Null", "Key", "Default", "Extra"), rows);
  }

  private static Result.Rows indexes(TableInfo table) {
    List<List<Object>> rows = new ArrayList<>();
    addIndex(rows, table, "PRIMARY", table.primaryKey(), true);
    for (IndexInfo index : table.indexes()) {
      if (index.state().isPublic()) {
        addIndex(rows, table, index.name(), index.columns(), index.unique());
      }
    }
    return new Result.Rows(
        texts("Table", "Non_unique", "Key_name", "Seq_in_index", "Column_name"), rows);
  }

  private static void addIndex(
      List<List<Object>> rows, TableInfo table, String name, List<String> columns, boolean unique) {
    for (int i = 0; i < columns.size(); i++) {
      String nonUnique = unique ? "0" : "1";
      rows.add(
          Result.Rows.row(table.name(), nonUnique, name, Integer.toString(i + 1), columns.get(i)));
    }
  }

  private static Result.Rows nextRowId(TableInfo table, IdService ids)
      throws InterruptedException {
    List<ResultColumn> columns =
        List.of(
            ResultColumn.text("DB_NAME"),
            ResultColumn.text("TABLE_NAME"),
            ResultColumn.text("COLUMN_NAME"),
            ResultColumn.integer("NEXT_GLOBAL_ROW_ID"),
            ResultColumn.text("ID_TYPE"));
    Optional<Column> auto = table.autoColumn();
    if (auto.isEmpty()) {
      return new Result.Rows(columns, List.of());
    }
    boolean unsigned = auto.get().type().unsigned();
    AllocResult result = ids.alloc(table.id(), 0, Spacing.DENSE, unsigned);
    if (result instanceof AllocResult.Unavailable unavailable) {
      throw SqlError.NO_AUTO_ID.with(
          "Failed to read auto-increment value from storage engine: %s", unavailable.reason());
    }
    Object max =
        result instanceof AllocResult.Allocated allocated
            ? Values.ofBits(allocated.max(), true)
            : Values.normal(auto.get().type().max());
    Object next = Values.normal(Values.big(max).add(BigInteger.ONE));
    return new Result.Rows(
        columns,
        List.of(
            Result.Rows.row(
                table.database(), table.name(), auto.get().name(), next, "AUTO_INCREMENT")));
  }

  private static Result.Rows column(String name, List<String> values) {
    List<List<Object>> rows = new ArrayList<>();
    values.forEach(value -> rows.add(Result.Rows.row(value)));
    return new Result.Rows(texts(name), rows);
  }

  private static List<String> matching(List<String> names, String pattern) {
    return pattern.isEmpty()
        ? names
        : names.stream().filter(name -> Evaluator.like(name, pattern)).toList();
  }

  private static List<ResultColumn> texts(String... names) {
    List<ResultColumn> columns = new ArrayList<>();
    for (String name : names) {
      columns.add(ResultColumn.text(name));
    }
    return columns;
  }
}
