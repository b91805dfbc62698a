package interregnum.sql.parser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.runtime.SystemRuntime;
import interregnum.sql.Statement;
import interregnum.sql.Statement.Admin;
import interregnum.table.Column;
import interregnum.table.ColumnType;
import interregnum.table.DdlStatement;
import interregnum.table.DdlStatement.AddColumn;
import interregnum.table.DdlStatement.AddIndex;
import interregnum.table.DdlStatement.DropColumn;
import interregnum.table.DdlStatement.DropIndex;
import interregnum.table.DdlStatement.RenameTable;
import interregnum.table.DdlStatement.SetAutoIncrement;
import interregnum.table.DdlStatement.TruncateTable;
import interregnum.table.IndexInfo;
import interregnum.table.TableInfo;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatementParserTest {

  private static final String[] CORPUS = {
    "create table if not exists d.t (id bigint unsigned primary key auto_increment, k int(11),"
        + " v varchar(20) default 'x', key (k), unique u (k, v)) auto_id_cache = 1",
    "insert into t (k, v) values (1, 'a'), (?, null) on duplicate key update k = values(k) + 1",
    "select count(*), max(k) m from t force index (u) where (k = 1 or k in (2, 3)) and v like 'a%'"
        + " order by m desc limit 5, 10",
    "update t set k = k + 1 where id between 1 and 5",
    "alter table t add index i (k), drop column v, auto_increment = 100 force",
    "set names utf8mb4 collate utf8mb4_bin, @x = -5, session sql_mode = ''",
    "admin cancel ddl jobs 1, 2",
    "/*!40101 select */ `a``b`.\"c\" -- d",
  };

  private final StatementParser parser =
      new StatementParser(
          new SystemRuntime(
              1,
              (task, failure) -> {
                throw new AssertionError(task, failure);
              }));

  private Statement parse(String sql) {
    return parser.parse(sql).statement();
  }

  private List<DdlStatement> ddl(String sql) {
    return ((Statement.Ddl) parse(sql)).changes();
  }

  @Test
  void readsSchemaChanges() {
    assertThat(ddl("create unique index i on d.t (a, b)"))
        .containsExactly(new AddIndex("d", "t", "i", List.of("a", "b"), true));
    assertThat(ddl("alter table t add key (a), drop index i, drop b, rename u"))
        .containsExactly(
            new AddIndex("", "t", "a", List.of("a"), false),
            new DropIndex("", "t", "i"),
            new DropColumn("", "t", "b"),
            new RenameTable("", "t", "", "u"));
    assertThat(ddl("drop index i on t")).containsExactly(new DropIndex("", "t", "i"));
    assertThat(ddl("rename table a to b, c.d to e.f"))
        .containsExactly(
            new RenameTable("", "a", "", "b"), new RenameTable("c", "d", "e", "f"));
    assertThat(ddl("truncate t")).containsExactly(new TruncateTable("", "t"));
    assertThat(ddl("alter table t auto_increment 5"))
        .containsExactly(new SetAutoIncrement("", "t", 5, false));
    assertThat(ddl("alter table t force auto_increment = 5"))
        .containsExactly(new SetAutoIncrement("", "t", 5, true));
    assertThat(ddl("alter table t auto_increment = 5 force"))
        .containsExactly(new SetAutoIncrement("", "t", 5, true));
  }

  @Test
  void readsAddedColumns() {
    List<DdlStatement> changes =
        ddl("alter table t add column (a int not null default 5, b varchar(3))");
    assertThat(changes).hasSize(2);
    Column a = ((AddColumn) changes.get(0)).column();
    assertThat(a.name()).isEqualTo("a");
    assertThat(a.nullable()).isFalse();
    assertThat(a.defaultValue()).isEqualTo(5L);
    Column b = ((AddColumn) changes.get(1)).column();
    assertThat(b.type()).isEqualTo(new ColumnType(ColumnType.Kind.VARCHAR, false, 3));
  }

  @Test
  void readsTableDefinitions() {
    DdlStatement.CreateTable create =
        (DdlStatement.CreateTable)
            ddl(
                    "create table `my t` (id int(11) unsigned zerofill auto_increment comment 'x',"
                        + " k int null, constraint pk primary key using btree (id),"
                        + " index (k), index (k), unique key u (k(10) desc)) engine = InnoDB,"
                        + " default character set = utf8mb4 auto_increment 7, AUTO_ID_CACHE 1")
                .get(0);
    TableInfo table = create.table();
    assertThat(table.name()).isEqualTo("my t");
    assertThat(table.primaryKey()).containsExactly("id");
    assertThat(table.column("id").orElseThrow().type().unsigned()).isTrue();
    assertThat(table.column("id").orElseThrow().nullable()).isFalse();
    assertThat(table.indexes().stream().map(IndexInfo::name)).containsExactly("k", "k_2", "u");
    assertThat(table.autoIdCache()).isEqualTo(1);
    assertThat(table.autoIncrementStart()).isEqualTo(7);
  }

  @Test
  void readsCommentedTableOptions() {
    TableInfo table =
        ((DdlStatement.CreateTable)
                ddl("create table t (id int /*T![clustered_index] primary key */)"
                        + " /*T![auto_id_cache] AUTO_ID_CACHE=1 */ # end")
                    .get(0))
            .table();
    assertThat(table.autoIdCache()).isEqualTo(1);
    assertThat(table.primaryKey()).containsExactly("id");
  }

  @Test
  void readsAdminStatements() {
    assertThat(((Admin) parse("admin show ddl")).action()).isEqualTo(Admin.Action.SHOW_DDL);
    assertThat(((Admin) parse("admin show ddl jobs 10")).action())
        .isEqualTo(Admin.Action.SHOW_DDL_JOBS);
    assertThat(((Admin) parse("ADMIN CANCEL DDL JOBS 3, 4")).jobs()).containsExactly(3L, 4L);
    assertThat(((Admin) parse("admin pause ddl jobs 3")).action())
        .isEqualTo(Admin.Action.PAUSE_DDL_JOBS);
    assertThat(((Admin) parse("admin resume ddl jobs 3")).action())
        .isEqualTo(Admin.Action.RESUME_DDL_JOBS);
    assertThat(((Admin) parse("admin check table d.t")).table().name()).isEqualTo("t");
  }

  @Test
  void takesStatementsThatDifferInValuesForOne() {
    ParsedStatement first = parser.parse("insert into t (k) values (1, 'x')");
    ParsedStatement second = parser.parse("insert  into t (k) values (25, 'it''s')");
    assertThat(second.statement()).isSameAs(first.statement());
    assertThat(second.bind(List.of())).containsExactly(25L, "it's");
  }

  @Test
  void bindsParametersAmongLiterals() {
    ParsedStatement parsed = parser.parse("select 1, ?, 'b', ? from t where a = -2.5");
    assertThat(parsed.parameterCount()).isEqualTo(2);
    assertThat(parsed.bind(Arrays.asList("p", null)))
        .isEqualTo(Arrays.asList(1L, "p", "b", null, 2.5));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select", "select * form t", "insert into t values (1", "create table t", "set x",
        "create table t ()", "alter table t add", "select 1 from t where", "drop table", "'", "`",
        "/* open", "select 1; drop table t", "update t set", "admin show", "use", "select ¬"
      })
  void refusesWhatIsNoStatement(String sql) {
    SqlException refusal = catchThrowableOfType(SqlException.class, () -> parse(sql));
    assertThat(refusal.error()).isEqualTo(SqlError.SYNTAX);
  }

  @Test
  void refusesDeepNestingAtOnce() {
    String sql = "select " + "(".repeat(5_000) + "1" + ")".repeat(5_000);
    SqlException refusal = catchThrowableOfType(SqlException.class, () -> parse(sql));
    assertThat(refusal.error()).isEqualTo(SqlError.SYNTAX);
  }

  /** Cut, doubled, and mixed statements: an answer or an {@link SqlException}, nothing else. */
  @Test
  void survivesMangledStatements() {
    long seed = Long.getLong("interregnum.seed", System.nanoTime());
    Random random = new Random(seed);
    int refused = 0;
    for (int round = 0; round < 1_500; round++) {
      String sql = mangled(random);
      try {
        parse(sql);
      } catch (SqlException e) {
        refused++;
      } catch (RuntimeException | StackOverflowError e) {
        throw new AssertionError("seed " + seed + ": " + sql, e);
      }
    }
    assertThat(refused).as("seed %d", seed).isGreaterThan(100);
  }

  private static String mangled(Random random) {
    StringBuilder sql = new StringBuilder(CORPUS[random.nextInt(CORPUS.length)]);
    int changes = 1 + random.nextInt(4);
    for (int i = 0; i < changes && sql.length() > 0; i++) {
      int from = random.nextInt(sql.length());
      int to = from + random.nextInt(Math.min(12, sql.length() - from) + 1);
      String other = CORPUS[random.nextInt(CORPUS.length)];
      int at = random.nextInt(other.length());
      switch (random.nextInt(4)) {
        case 0 -> sql.delete(from, to);
        case 1 -> sql.insert(from, sql.substring(from, to));
        case 2 -> sql.insert(from, (char) (32 + random.nextInt(95)));
        default -> sql.replace(from, to, other.substring(at));
      }
    }
    return sql.toString();
  }
}
