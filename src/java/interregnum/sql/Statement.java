package interregnum.sql;

import interregnum.table.DdlStatement;
import java.util.List;
import java.util.Optional;

/** A statement, before tables and columns are looked up. Immutable; may be executed many times. */
public sealed interface Statement {

  /** A table as a statement names it; database and alias are empty if not written. */
  record TableRef(String database, String name, String alias) {}

  /** A column and the value it is to have. */
  record Assignment(String column, Expr value) {}

  /** An item of a SELECT list: an expression with its alias (empty if none), or {@code *}. */
  record SelectItem(Expr value, String alias, boolean star) {}

  /** A sort key. */
  record OrderBy(Expr value, boolean descending) {}

  /**
   * {@code SELECT}.
   *
   * @param index the index named in USE INDEX or FORCE INDEX, empty if none was
   * @param limit null for none
   * @param offset null for none
   */
  record Select(
      List<SelectItem> items,
      Optional<TableRef> table,
      String index,
      Expr where,
      List<OrderBy> orderBy,
      Expr limit,
      Expr offset,
      boolean distinct,
      boolean forUpdate)
      implements Statement {}

  /** {@code INSERT}, {@code REPLACE}; no columns means all of them, in order. */
  record Insert(
      TableRef table,
      List<String> columns,
      List<List<Expr>> rows,
      List<Assignment> onDuplicate,
      boolean replace)
      implements Statement {}

  /** {@code UPDATE}; {@code where} and {@code limit} are null for none. */
  record Update(TableRef table, List<Assignment> assignments, Expr where, Expr limit)
      implements Statement {}

  /** {@code DELETE}; {@code where} and {@code limit} are null for none. */
  record Delete(TableRef table, Expr where, Expr limit) implements Statement {}

  /** Schema changes, in order; a database that was not written is empty. */
  record Ddl(List<DdlStatement> changes) implements Statement {}

  /** {@code BEGIN}. */
  record Begin() implements Statement {}

  /** {@code COMMIT}. */
  record Commit() implements Statement {}

  /** {@code ROLLBACK}. */
  record Rollback() implements Statement {}

  /** {@code USE}. */
  record Use(String database) implements Statement {}

  /** {@code SET} of variables. */
  record SetVariables(List<Setting> settings) implements Statement {}

  /** One variable and its value: a system variable or, with scope {@code @}, a user's. */
  record Setting(String scope, String name, Expr value) {}

  /** {@code SHOW}: what to show; database, table and pattern are empty if not written. */
  record Show(What what, String database, String table, String pattern) implements Statement {
    /** What can be shown. */
    public enum What {
      DATABASES,
      TABLES,
      FULL_TABLES,
      COLUMNS,
      INDEXES,
      CREATE_TABLE,
      NEXT_ROW_ID,
      VARIABLES,
      WARNINGS,
      EMPTY
    }
  }

  /** {@code ADMIN}: what to do, with the job ids or the table it is about. */
  record Admin(Action action, List<Long> jobs, TableRef table) implements Statement {
    /** What can be done. */
    public enum Action {
      SHOW_DDL,
      SHOW_DDL_JOBS,
      CANCEL_DDL_JOBS,
      PAUSE_DDL_JOBS,
      RESUME_DDL_JOBS,
      CHECK_TABLE
    }
  }

  /** A statement that is accepted and does nothing here. */
  record Nothing() implements Statement {}
}
