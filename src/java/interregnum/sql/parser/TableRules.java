package interregnum.sql.parser;

import interregnum.error.SqlError;
import interregnum.table.Column;
import interregnum.table.IndexInfo;
import interregnum.table.TableInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** What must be true of a table that is to be created. */
final class TableRules {

  private static final int NAME_LENGTH_MAX = 64;

  private TableRules() {}

  /** The same table, with the primary key's columns NOT NULL, if it obeys the rules. */
  static TableInfo checked(TableInfo table) {
    checkLength(table.name());
    checkNames(table);
    requireColumns(table, table.primaryKey());
    table.indexes().forEach(i -> requireColumns(table, i.columns()));
    checkAutoColumn(table);
    List<Column> columns = new ArrayList<>();
    for (Column c : table.columns()) {
      boolean inKey = table.primaryKey().stream().anyMatch(c::isNamed);
      columns.add(
          new Column(
              c.id(), c.name(), c.type(), c.nullable() && !inKey, c.defaultValue(),
              c.autoIncrement(), c.state()));
    }
    return table.withColumns(columns, table.maxColumnId());
  }

  /** Refuses a name that is too long for a table, column or index. */
  static void checkLength(String name) {
    if (name.codePointCount(0, name.length()) > NAME_LENGTH_MAX) {
      throw SqlError.TOO_LONG_NAME.with("Identifier name '%s' is too long", name);
    }
  }

  private static void checkNames(TableInfo table) {
    Set<String> names = new TreeSet<>();
    for (Column column : table.columns()) {
      checkLength(column.name());
      if (!names.add(column.name().toLowerCase(Locale.ROOT))) {
        throw SqlError.DUP_COLUMN.with("Duplicate column name '%s'", column.name());
      }
    }
    names.clear();
    for (IndexInfo index : table.indexes()) {
      checkLength(index.name());
      if (!names.add(index.name().toLowerCase(Locale.ROOT))) {
        throw SqlError.DUP_INDEX.with("Duplicate key name '%s'", index.name());
      }
    }
  }

  private static void requireColumns(TableInfo table, List<String> key) {
    Set<String> names = new TreeSet<>();
    for (String name : key) {
      if (table.column(name).isEmpty()) {
        throw SqlError.KEY_COLUMN_MISSING.with("Key column '%s' doesn't exist in table", name);
      }
      if (!names.add(name.toLowerCase(Locale.ROOT))) {
        throw SqlError.DUP_COLUMN.with("Duplicate column name '%s'", name);
      }
    }
  }

  private static void checkAutoColumn(TableInfo table) {
    List<Column> auto = table.columns().stream().filter(Column::autoIncrement).toList();
    if (auto.isEmpty()) {
      return;
    }
    Column column = auto.get(0);
    boolean beginsKey =
        !table.primaryKey().isEmpty() && column.isNamed(table.primaryKey().get(0))
            || table.indexes().stream().anyMatch(i -> column.isNamed(i.columns().get(0)));
    if (auto.size() > 1 || !beginsKey) {
      throw SqlError.WRONG_AUTO_COLUMN.with(
          "Incorrect table definition; there can be only one auto column and it must be defined"
              + " as a key");
    }
    if (!column.type().kind().isInteger()) {
      throw SqlError.WRONG_COLUMN_SPEC.with(
          "Incorrect column specifier for column '%s'", column.name());
    }
  }
}
