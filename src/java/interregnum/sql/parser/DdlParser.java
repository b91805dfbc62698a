package interregnum.sql.parser;

import interregnum.error.SqlError;
import interregnum.sql.Statement;
import interregnum.sql.parser.TokenReader.Name;
import interregnum.table.Column;
import interregnum.table.DdlStatement;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** Schema changes. */
final class DdlParser {

  private final TokenReader in;

  DdlParser(TokenReader in) {
    this.in = in;
  }

  Statement parse() {
    List<DdlStatement> changes = new ArrayList<>();
    switch (in.next().upper()) {
      case "CREATE" -> create(changes);
      case "DROP" -> drop(changes);
      case "ALTER" -> alter(changes);
      case "RENAME" -> rename(changes);
      default -> truncate(changes);
    }
    in.expectEnd();
    return new Statement.Ddl(List.copyOf(changes));
  }

  private void create(List<DdlStatement> changes) {
    if (in.take("TABLE")) {
      boolean ifNotExists = in.take("IF", "NOT", "EXISTS");
      changes.add(new TableParser(in).createTable(in.tableName(), ifNotExists));
    } else if (in.peek().is("UNIQUE") || in.peek().is("INDEX")) {
      boolean unique = in.take("UNIQUE");
      in.expect("INDEX");
      String index = in.name();
      skipIndexType();
      in.expect("ON");
      Name table = in.tableName();
      changes.add(addIndex(table, index, unique));
    } else {
      throw ExpressionConverter.unsupported("CREATE " + in.peek().text());
    }
  }

  private DdlStatement addIndex(Name table, String index, boolean unique) {
    TableRules.checkLength(index);
    List<String> columns = in.names();
    skipIndexType();
    return new DdlStatement.AddIndex(
        table.database(), table.name(), index.isEmpty() ? columns.get(0) : index, columns, unique);
  }

  private void skipIndexType() {
    if (in.take("USING")) {
      in.name();
    }
  }

  private void drop(List<DdlStatement> changes) {
    if (in.take("INDEX")) {
      String index = in.name();
      in.expect("ON");
      Name table = in.tableName();
      changes.add(new DdlStatement.DropIndex(table.database(), table.name(), index));
    } else if (in.take("TABLE")) {
      boolean ifExists = in.take("IF", "EXISTS");
      do {
        Name table = in.tableName();
        changes.add(new DdlStatement.DropTable(table.database(), table.name(), ifExists));
      } while (in.takeSymbol(","));
      if (!in.take("RESTRICT")) {
        in.take("CASCADE");
      }
    } else {
      throw ExpressionConverter.unsupported("DROP " + in.peek().text());
    }
  }

  private void truncate(List<DdlStatement> changes) {
    in.take("TABLE");
    Name table = in.tableName();
    changes.add(new DdlStatement.TruncateTable(table.database(), table.name()));
  }

  private void rename(List<DdlStatement> changes) {
    in.expect("TABLE");
    do {
      Name from = in.tableName();
      in.expect("TO");
      changes.add(renameTable(from, in.tableName()));
    } while (in.takeSymbol(","));
  }

  private static DdlStatement renameTable(Name from, Name to) {
    TableRules.checkLength(to.name());
    return new DdlStatement.RenameTable(from.database(), from.name(), to.database(), to.name());
  }

  private void alter(List<DdlStatement> changes) {
    in.expect("TABLE");
    Name table = in.tableName();
    do {
      alterOnce(table, changes);
    } while (in.takeSymbol(","));
  }

  private void alterOnce(Name table, List<DdlStatement> changes) {
    if (in.take("ADD")) {
      add(table, changes);
    } else if (in.take("DROP")) {
      changes.add(dropPart(table));
    } else if (in.take("RENAME")) {
      if (in.peek().is("INDEX") || in.peek().is("KEY") || in.peek().is("COLUMN")) {
        throw ExpressionConverter.unsupported("ALTER TABLE ... RENAME " + in.peek().text());
      }
      if (!in.take("TO")) {
        in.take("AS");
      }
      changes.add(renameTable(table, in.tableName()));
    } else if (in.peek().is("AUTO_INCREMENT") || in.peek().is("FORCE")) {
      changes.add(setAutoIncrement(table));
    } else {
      throw ExpressionConverter.unsupported("ALTER TABLE ... " + in.peek().text());
    }
  }

  /** {@code AUTO_INCREMENT = n [FORCE]}, and TiDB's {@code FORCE AUTO_INCREMENT = n}. */
  private DdlStatement setAutoIncrement(Name table) {
    boolean force = in.take("FORCE");
    in.expect("AUTO_INCREMENT");
    in.takeSymbol("=");
    BigInteger next = in.integer();
    if (next.bitLength() > 64) {
      throw in.unexpected();
    }
    force |= in.take("FORCE");
    return new DdlStatement.SetAutoIncrement(
        table.database(), table.name(), next.longValue(), force);
  }

  private void add(Name table, List<DdlStatement> changes) {
    boolean unique = in.take("UNIQUE");
    boolean isIndex = in.take("INDEX") || in.take("KEY") || unique;
    if (isIndex) {
      String index = in.peek().isSymbol("(") ? "" : in.name();
      changes.add(addIndex(table, index, unique));
      return;
    }
    if (in.peek().is("PRIMARY") || in.peek().is("CONSTRAINT") || in.peek().is("FOREIGN")) {
      throw ExpressionConverter.unsupported("ALTER TABLE ... ADD " + in.peek().text());
    }
    in.take("COLUMN");
    boolean several = in.takeSymbol("(");
    do {
      changes.add(addColumn(table));
    } while (several && in.takeSymbol(","));
    if (several) {
      in.expectSymbol(")");
    }
  }

  private DdlStatement addColumn(Name table) {
    TableParser.ColumnDefinition definition = new TableParser(in).columnDefinition(0);
    if (definition.primary() || definition.unique()) {
      throw ExpressionConverter.unsupported("ADD COLUMN of a key column");
    }
    if (in.peek().is("FIRST") || in.peek().is("AFTER")) {
      throw ExpressionConverter.unsupported("ADD COLUMN ... " + in.peek().text());
    }
    Column column = definition.column();
    TableRules.checkLength(column.name());
    if (column.autoIncrement()) {
      throw SqlError.WRONG_AUTO_COLUMN.with(
          "Incorrect table definition; the auto column '%s' must be defined as a key",
          column.name());
    }
    return new DdlStatement.AddColumn(table.database(), table.name(), column);
  }

  private DdlStatement dropPart(Name table) {
    if (in.take("INDEX") || in.take("KEY")) {
      return new DdlStatement.DropIndex(table.database(), table.name(), in.name());
    }
    if (in.peek().is("PRIMARY") || in.peek().is("FOREIGN") || in.peek().is("CONSTRAINT")) {
      throw ExpressionConverter.unsupported("ALTER TABLE ... DROP " + in.peek().text());
    }
    in.take("COLUMN");
    return new DdlStatement.DropColumn(table.database(), table.name(), in.name());
  }
}
