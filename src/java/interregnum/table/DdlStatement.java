package interregnum.table;

import java.util.List;

/** A schema change, checked as far as that is possible without knowing the tables. */
public sealed interface DdlStatement {

  /** The database of the table, or of the first one. */
  String database();

  /** The table's name, or the first one's. */
  String name();

  /** {@code CREATE TABLE}; the definition has no id yet. */
  record CreateTable(TableInfo table, boolean ifNotExists) implements DdlStatement {
    @Override
    public String database() {
      return table.database();
    }

    @Override
    public String name() {
      return table.name();
    }
  }

  /** {@code DROP TABLE}. */
  record DropTable(String database, String name, boolean ifExists) implements DdlStatement {}

  /** {@code TRUNCATE TABLE}. */
  record TruncateTable(String database, String name) implements DdlStatement {}

  /** {@code RENAME TABLE} and {@code ALTER TABLE ... RENAME}. */
  record RenameTable(String database, String name, String newDatabase, String newName)
      implements DdlStatement {}

  /** {@code ALTER TABLE ... ADD COLUMN}; the column has id 0. */
  record AddColumn(String database, String name, Column column) implements DdlStatement {}

  /** {@code ALTER TABLE ... DROP COLUMN}. */
  record DropColumn(String database, String name, String column) implements DdlStatement {}

  /** {@code CREATE INDEX} and {@code ALTER TABLE ... ADD INDEX}. */
  record AddIndex(
      String database, String name, String index, List<String> columns, boolean unique)
      implements DdlStatement {}

  /** {@code DROP INDEX} and {@code ALTER TABLE ... DROP INDEX}. */
  record DropIndex(String database, String name, String index) implements DdlStatement {}

  /** {@code ALTER TABLE ... AUTO_INCREMENT = nextId [FORCE]}. */
  record SetAutoIncrement(String database, String name, long nextId, boolean force)
      implements DdlStatement {}
}
