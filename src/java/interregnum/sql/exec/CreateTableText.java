package interregnum.sql.exec;

import interregnum.sql.Values;
import interregnum.table.Column;
import interregnum.table.IndexInfo;
import interregnum.table.TableInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A table's definition as the statement that creates it. */
final class CreateTableText {

  private CreateTableText() {}

  static String of(TableInfo table) {
    List<String> lines = new ArrayList<>();
    table.publicColumns().forEach(c -> lines.add(column(c)));
    if (!table.primaryKey().isEmpty()) {
      lines.add("PRIMARY KEY (" + names(table.primaryKey()) + ")");
    }
    for (IndexInfo index : table.indexes()) {
      if (index.state().isPublic()) {
        String kind = index.unique() ? "UNIQUE KEY " : "KEY ";
        lines.add(kind + quoted(index.name()) + " (" + names(index.columns()) + ")");
      }
    }
    String cache =
        table.autoIdCache() > 0
            ? " /*T![auto_id_cache] AUTO_ID_CACHE=" + table.autoIdCache() + " */"
            : "";
    return "CREATE TABLE " + quoted(table.name()) + " (\n  "
        + String.join(",\n  ", lines)
        + "\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"
        + cache;
  }

  private static String column(Column c) {
    StringBuilder out = new StringBuilder(quoted(c.name())).append(' ').append(c.type().sql());
    out.append(c.nullable() ? "" : " NOT NULL");
    if (c.autoIncrement()) {
      out.append(" AUTO_INCREMENT");
    } else if (c.defaultValue() != null) {
      String value = Values.toText(c.defaultValue()).replace("'", "''");
      out.append(" DEFAULT '").append(value).append("'");
    } else if (c.nullable()) {
      out.append(" DEFAULT NULL");
    }
    return out.toString();
  }

  private static String names(List<String> names) {
    return names.stream().map(CreateTableText::quoted).collect(Collectors.joining(","));
  }

  private static String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }
}
