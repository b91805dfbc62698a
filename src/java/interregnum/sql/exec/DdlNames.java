package interregnum.sql.exec;

import interregnum.table.DdlStatement;
import interregnum.table.DdlStatement.AddColumn;
import interregnum.table.DdlStatement.AddIndex;
import interregnum.table.DdlStatement.CreateTable;
import interregnum.table.DdlStatement.DropColumn;
import interregnum.table.DdlStatement.DropIndex;
import interregnum.table.DdlStatement.DropTable;
import interregnum.table.DdlStatement.RenameTable;
import interregnum.table.DdlStatement.SetAutoIncrement;
import interregnum.table.DdlStatement.TruncateTable;
import java.util.function.UnaryOperator;

/** Fills in the databases that a schema change left out. */
final class DdlNames {

  private DdlNames() {}

  /** The same change with {@code resolve} applied to each database written or left out. */
  static DdlStatement resolved(DdlStatement change, UnaryOperator<String> resolve) {
    String database = resolve.apply(change.database());
    if (change instanceof CreateTable c) {
      return new CreateTable(c.table().withName(database, c.name()), c.ifNotExists());
    } else if (change instanceof DropTable d) {
      return new DropTable(database, d.name(), d.ifExists());
    } else if (change instanceof TruncateTable t) {
      return new TruncateTable(database, t.name());
    } else if (change instanceof RenameTable r) {
      return new RenameTable(database, r.name(), resolve.apply(r.newDatabase()), r.newName());
    } else if (change instanceof AddColumn a) {
      return new AddColumn(database, a.name(), a.column());
    } else if (change instanceof DropColumn d) {
      return new DropColumn(database, d.name(), d.column());
    } else if (change instanceof AddIndex a) {
      return new AddIndex(database, a.name(), a.index(), a.columns(), a.unique());
    } else if (change instanceof DropIndex d) {
      return new DropIndex(database, d.name(), d.index());
    }
    SetAutoIncrement s = (SetAutoIncrement) change;
    return new SetAutoIncrement(database, s.name(), s.nextId(), s.force());
  }
}
