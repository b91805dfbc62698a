package interregnum.coordinator;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.store.StoreTxn;
import interregnum.table.Column;
import interregnum.table.DdlStatement;
import interregnum.table.DdlStatement.AddColumn;
import interregnum.table.DdlStatement.AddIndex;
import interregnum.table.DdlStatement.CreateTable;
import interregnum.table.DdlStatement.DropColumn;
import interregnum.table.DdlStatement.DropIndex;
import interregnum.table.DdlStatement.DropTable;
import interregnum.table.DdlStatement.RenameTable;
import interregnum.table.DdlStatement.TruncateTable;
import interregnum.table.IndexInfo;
import interregnum.table.Keys;
import interregnum.table.SchemaState;
import interregnum.table.TableInfo;
import interregnum.table.TableJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the next step of a job does to the definitions. Reads and writes one transaction and knows
 * neither versions nor nodes.
 *
 * <pre>
 *   add index    absent -> delete-only -> write-only -> reorganising -> public
 *   add column   absent -> delete-only -> write-only -> public
 *   drop         public -> write-only -> delete-only -> absent
 *   others       one step
 * </pre>
 *
 * <p>Statements see a table only while it is public, so the first step of its drop takes it away;
 * the others let every transaction that still writes to it end before its rows go.
 */
final class SchemaSteps {
  private final StoreTxn txn;
  private final DdlJob job;

  private SchemaSteps(StoreTxn txn, DdlJob job) {
    this.txn = txn;
    this.job = job;
  }

  /**
   * A planned step.
   *
   * @param tableIds the tables that change, empty if none does
   */
  record Step(JobProgress progress, List<Long> tableIds) {

    /** Whether nodes must learn of it. */
    boolean changesSchema() {
      return !tableIds.isEmpty();
    }
  }

  /**
   * Writes the job's next step into the transaction.
   *
   * @throws SqlException if the job cannot be done
   */
  static Step plan(StoreTxn txn, DdlJob job) throws InterruptedException {
    SchemaSteps steps = new SchemaSteps(txn, job);
    JobState state = job.progress().state();
    return state == JobState.CANCELLING || state == JobState.ROLLING_BACK
        ? steps.back()
        : steps.forward();
  }

  private Step forward() throws InterruptedException {
    DdlStatement statement = job.statement();
    if (statement instanceof CreateTable create) {
      return create(create);
    } else if (statement instanceof DropTable drop) {
      return drop(drop);
    } else if (statement instanceof TruncateTable) {
      TableInfo table = table();
      put(table.withId(job.newTableId()));
      return done(List.of(table.id(), job.newTableId()));
    } else if (statement instanceof RenameTable rename) {
      return rename(rename);
    } else if (statement instanceof AddColumn add) {
      return addColumn(table(), add.column());
    } else if (statement instanceof DropColumn drop) {
      return dropColumn(table(), drop.column());
    } else if (statement instanceof AddIndex add) {
      return addIndex(table(), add);
    } else if (statement instanceof DropIndex drop) {
      return dropIndex(table(), drop.index());
    }
    throw SqlError.NOT_SUPPORTED.with("This version doesn't yet support '%s'", job.type());
  }

  private Step create(CreateTable create) throws InterruptedException {
    if (find(create.database(), create.name()).isPresent()) {
      if (create.ifNotExists()) {
        return done(List.of());
      }
      throw exists(create.database(), create.name());
    }
    put(create.table().withId(job.newTableId()));
    return done(List.of(job.newTableId()));
  }

  private Step drop(DropTable drop) throws InterruptedException {
    Optional<TableInfo> table = find(drop.database(), drop.name());
    if (table.isEmpty()) {
      if (drop.ifExists()) {
        return done(List.of());
      }
      throw SqlError.UNKNOWN_TABLE.with("Unknown table '%s.%s'", drop.database(), drop.name());
    }
    SchemaState state = job.progress().schemaState();
    if (state == SchemaState.DELETE_ONLY) {
      txn.delete(Keys.table(drop.database(), drop.name()));
      return gone(table.get());
    }
    SchemaState next =
        state == SchemaState.PUBLIC ? SchemaState.WRITE_ONLY : SchemaState.DELETE_ONLY;
    put(table.get().in(next));
    return to(next, table.get());
  }

  private Step rename(RenameTable rename) throws InterruptedException {
    TableInfo table = table();
    if (find(rename.newDatabase(), rename.newName()).isPresent()) {
      throw exists(rename.newDatabase(), rename.newName());
    }
    txn.delete(Keys.table(rename.database(), rename.name()));
    put(table.withName(rename.newDatabase(), rename.newName()));
    return done(List.of(table.id()));
  }

  private Step addColumn(TableInfo table, Column wanted) throws InterruptedException {
    SchemaState state = job.progress().schemaState();
    if (state == SchemaState.ABSENT) {
      if (table.columns().stream().anyMatch(c -> c.isNamed(wanted.name()))) {
        throw SqlError.DUP_COLUMN.with("Duplicate column name '%s'", wanted.name());
      }
      int id = table.maxColumnId() + 1;
      List<Column> columns = new ArrayList<>(table.columns());
      columns.add(
          new Column(
              id,
              wanted.name(),
              wanted.type(),
              wanted.nullable(),
              wanted.defaultValue(),
              wanted.autoIncrement(),
              SchemaState.DELETE_ONLY));
      put(table.withColumns(columns, id));
      return to(SchemaState.DELETE_ONLY, table);
    }
    SchemaState next =
        state == SchemaState.DELETE_ONLY ? SchemaState.WRITE_ONLY : SchemaState.PUBLIC;
    put(columnIn(table, wanted.name(), next));
    return next == SchemaState.PUBLIC ? done(List.of(table.id())) : to(next, table);
  }

  private Step dropColumn(TableInfo table, String name) throws InterruptedException {
    SchemaState state = job.progress().schemaState();
    if (state == SchemaState.PUBLIC) {
      checkDroppable(table, name);
      put(columnIn(withDefault(table, name), name, SchemaState.WRITE_ONLY));
      return to(SchemaState.WRITE_ONLY, table);
    }
    if (state == SchemaState.WRITE_ONLY) {
      put(columnIn(table, name, SchemaState.DELETE_ONLY));
      return to(SchemaState.DELETE_ONLY, table);
    }
    put(withoutColumn(table, name));
    return gone(table);
  }

  private static void checkDroppable(TableInfo table, String name) {
    if (table.column(name).isEmpty()) {
      throw nothingToDrop(name);
    }
    if (table.publicColumns().size() == 1) {
      throw SqlError.LAST_COLUMN.with("You can't delete all columns with ALTER TABLE");
    }
    boolean indexed =
        table.primaryKey().stream().anyMatch(name::equalsIgnoreCase)
            || table.indexes().stream()
                .anyMatch(i -> i.columns().stream().anyMatch(name::equalsIgnoreCase));
    if (indexed) {
      throw SqlError.NOT_SUPPORTED.with(
          "This version doesn't yet support 'dropping column %s, which an index covers'", name);
    }
  }

  /** Gives a column that must have a value, and will no longer be given one, a neutral default. */
  private static TableInfo withDefault(TableInfo table, String name) {
    List<Column> columns = new ArrayList<>();
    for (Column c : table.columns()) {
      columns.add(
          c.isNamed(name)
              ? new Column(
                  c.id(), c.name(), c.type(), c.nullable(), c.valueIfAbsent(), c.autoIncrement(),
                  c.state())
              : c);
    }
    return table.withColumns(columns, table.maxColumnId());
  }

  private Step addIndex(TableInfo table, AddIndex add) throws InterruptedException {
    SchemaState state = job.progress().schemaState();
    if (state == SchemaState.ABSENT) {
      if (table.index(add.index()).isPresent()) {
        throw SqlError.DUP_INDEX.with("Duplicate key name '%s'", add.index());
      }
      checkKey(table, add.columns());
      int id = table.maxIndexId() + 1;
      List<IndexInfo> indexes = new ArrayList<>(table.indexes());
      indexes.add(
          new IndexInfo(id, add.index(), add.columns(), add.unique(), SchemaState.DELETE_ONLY));
      put(table.withIndexes(indexes, id));
      return to(SchemaState.DELETE_ONLY, table);
    }
    SchemaState next = SchemaState.values()[state.ordinal() + 1];
    put(indexIn(table, add.index(), next));
    return next == SchemaState.PUBLIC ? done(List.of(table.id())) : to(next, table);
  }

  private static void checkKey(TableInfo table, List<String> columns) {
    Set<String> names = new TreeSet<>();
    for (String column : columns) {
      if (table.column(column).isEmpty()) {
        throw SqlError.KEY_COLUMN_MISSING.with("Key column '%s' doesn't exist in table", column);
      }
      if (!names.add(column.toLowerCase(Locale.ROOT))) {
        throw SqlError.DUP_COLUMN.with("Duplicate column name '%s'", column);
      }
    }
  }

  private Step dropIndex(TableInfo table, String name) throws InterruptedException {
    SchemaState state = job.progress().schemaState();
    if (state == SchemaState.PUBLIC) {
      if (table.index(name).isEmpty()) {
        throw nothingToDrop(name);
      }
      put(indexIn(table, name, SchemaState.WRITE_ONLY));
      return to(SchemaState.WRITE_ONLY, table);
    }
    if (state == SchemaState.WRITE_ONLY) {
      put(indexIn(table, name, SchemaState.DELETE_ONLY));
      return to(SchemaState.DELETE_ONLY, table);
    }
    put(withoutIndex(table, name));
    return gone(table);
  }

  /** Undoes an addition: what is written goes delete-only first, then away. */
  private Step back() throws InterruptedException {
    SchemaState state = job.progress().schemaState();
    if (state == SchemaState.ABSENT || !job.canRollBack()) {
      return new Step(job.progress().in(JobState.CANCELLED), List.of());
    }
    Optional<TableInfo> found = find(job.statement().database(), job.statement().name());
    if (found.isEmpty()) {
      return new Step(job.progress().in(JobState.ROLLED_BACK), List.of());
    }
    TableInfo table = found.get();
    boolean away = state == SchemaState.DELETE_ONLY;
    if (job.statement() instanceof AddIndex add) {
      put(
          away
              ? withoutIndex(table, add.index())
              : indexIn(table, add.index(), SchemaState.DELETE_ONLY));
    } else {
      String name = ((AddColumn) job.statement()).column().name();
      put(away ? withoutColumn(table, name) : columnIn(table, name, SchemaState.DELETE_ONLY));
    }
    JobProgress next =
        away
            ? job.progress().to(JobState.ROLLED_BACK, SchemaState.ABSENT)
            : job.progress().to(JobState.ROLLING_BACK, SchemaState.DELETE_ONLY);
    return new Step(next, List.of(table.id()));
  }

  private static TableInfo columnIn(TableInfo table, String name, SchemaState state) {
    List<Column> columns =
        table.columns().stream().map(c -> c.isNamed(name) ? c.in(state) : c).toList();
    return table.withColumns(columns, table.maxColumnId());
  }

  private static TableInfo withoutColumn(TableInfo table, String name) {
    List<Column> columns = table.columns().stream().filter(c -> !c.isNamed(name)).toList();
    return table.withColumns(columns, table.maxColumnId());
  }

  private static TableInfo indexIn(TableInfo table, String name, SchemaState state) {
    List<IndexInfo> indexes =
        table.indexes().stream().map(i -> i.isNamed(name) ? i.in(state) : i).toList();
    return table.withIndexes(indexes, table.maxIndexId());
  }

  private static TableInfo withoutIndex(TableInfo table, String name) {
    List<IndexInfo> indexes = table.indexes().stream().filter(i -> !i.isNamed(name)).toList();
    return table.withIndexes(indexes, table.maxIndexId());
  }

  private Step to(SchemaState next, TableInfo table) {
    return new Step(job.progress().to(JobState.RUNNING, next), List.of(table.id()));
  }

  private Step done(List<Long> tableIds) {
    return new Step(job.progress().to(JobState.DONE, SchemaState.PUBLIC), tableIds);
  }

  /** The last step of a drop. */
  private Step gone(TableInfo table) {
    return new Step(
        job.progress().to(JobState.DONE, SchemaState.ABSENT), List.of(table.id()));
  }

  private TableInfo table() throws InterruptedException {
    DdlStatement s = job.statement();
    return find(s.database(), s.name())
        .orElseThrow(
            () ->
                SqlError.NO_SUCH_TABLE.with(
                    "Table '%s.%s' doesn't exist", s.database(), s.name()));
  }

  private Optional<TableInfo> find(String database, String name) throws InterruptedException {
    return txn.get(Keys.table(database, name)).map(TableJson::read);
  }

  private void put(TableInfo table) {
    txn.put(Keys.table(table.database(), table.name()), TableJson.write(table));
  }

  private static SqlException exists(String database, String name) {
    return SqlError.TABLE_EXISTS.with("Table '%s.%s' already exists", database, name);
  }

  private static SqlException nothingToDrop(String name) {
    return SqlError.NOTHING_TO_DROP.with("Can't DROP '%s'; check that column/key exists", name);
  }
}
