package interregnum.sql.parser;

import interregnum.error.SqlError;
import interregnum.sql.Expr;
import interregnum.sql.Statement;
import interregnum.sql.Statement.Admin;
import interregnum.sql.Statement.Setting;
import interregnum.sql.Statement.Show;
import interregnum.sql.Statement.Show.What;
import interregnum.sql.Statement.TableRef;
import interregnum.sql.Values;
import interregnum.sql.parser.TokenReader.Name;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Statements about the session and the node: transactions, SET, SHOW, USE, ADMIN. */
final class CommandParser {

  private static final TableRef NO_TABLE = new TableRef("", "", "");

  private final TokenReader in;

  CommandParser(TokenReader in) {
    this.in = in;
  }

  Statement parse() {
    if (in.atEnd()) {
      throw SqlError.EMPTY_QUERY.with("Query was empty");
    }
    Statement statement = statement();
    in.expectEnd();
    return statement;
  }

  private Statement statement() {
    if (in.take("BEGIN")) {
      if (!in.take("OPTIMISTIC")) {
        in.take("PESSIMISTIC");
      }
      return new Statement.Begin();
    } else if (in.take("START", "TRANSACTION")) {
      skipRest();
      return new Statement.Begin();
    } else if (in.take("COMMIT")) {
      in.take("WORK");
      return new Statement.Commit();
    } else if (in.take("ROLLBACK")) {
      in.take("WORK");
      return new Statement.Rollback();
    } else if (in.take("USE")) {
      return new Statement.Use(in.name());
    } else if (in.take("SET")) {
      return set();
    } else if (in.take("SHOW")) {
      return show();
    } else if (in.take("DESCRIBE") || in.take("DESC")) {
      Name table = in.tableName();
      return new Show(What.COLUMNS, table.database(), table.name(), "");
    } else if (in.take("ADMIN")) {
      return admin();
    }
    return other();
  }

  private Statement other() {
    Token first = in.peek();
    switch (first.upper()) {
      case "EXPLAIN", "SAVEPOINT", "LOCK", "KILL", "GRANT", "LOAD", "CALL", "PREPARE", "EXECUTE",
          "DEALLOCATE", "HANDLER", "WITH", "TABLE", "VALUES", "DO", "CHECK", "OPTIMIZE" ->
          throw ExpressionConverter.unsupported(first.text());
      case "FLUSH", "ANALYZE", "UNLOCK" -> {
        skipRest();
        return new Statement.Nothing();
      }
      default -> throw in.unexpected();
    }
  }

  private void skipRest() {
    while (!in.atEnd()) {
      in.next();
    }
  }

  private Statement set() {
    List<Setting> settings = new ArrayList<>();
    do {
      setting(settings);
    } while (in.takeSymbol(","));
    return new Statement.SetVariables(List.copyOf(settings));
  }

  private void setting(List<Setting> settings) {
    if (in.take("NAMES") || in.take("CHARACTER", "SET") || in.take("CHARSET")) {
      Expr charset = value();
      for (String name : List.of("client", "connection", "results")) {
        settings.add(new Setting("", "character_set_" + name, charset));
      }
      if (in.take("COLLATE")) {
        settings.add(new Setting("", "collation_connection", value()));
      }
      return;
    }
    String scope = "";
    if (in.peek().is("SESSION") || in.peek().is("LOCAL") || in.peek().is("GLOBAL")) {
      scope = in.next().text().toLowerCase(Locale.ROOT);
    }
    if (in.take("TRANSACTION")) {
      transaction(scope, settings);
      return;
    }
    settings.add(assignment(scope));
  }

  private Setting assignment(String scope) {
    Token token = in.peek();
    String name = token.text();
    if (name.startsWith("@") && token.kind() == Token.Kind.WORD) {
      in.next();
      Expr variable = ExpressionConverter.variable(name);
      expectEquals();
      return variable instanceof Expr.SystemVariable v
          ? new Setting(v.scope(), v.name(), value())
          : new Setting("@", ((Expr.UserVariable) variable).name(), value());
    }
    name = in.name().toLowerCase(Locale.ROOT);
    expectEquals();
    return new Setting(scope, name, value());
  }

  private void expectEquals() {
    if (!in.takeSymbol(":=")) {
      in.expectSymbol("=");
    }
  }

  private void transaction(String scope, List<Setting> settings) {
    do {
      if (in.take("ISOLATION", "LEVEL")) {
        StringBuilder level = new StringBuilder(in.name());
        while (in.peek().kind() == Token.Kind.WORD) {
          level.append('-').append(in.name());
        }
        Expr value = new Expr.Literal(level.toString().toUpperCase(Locale.ROOT));
        settings.add(new Setting(scope, "transaction_isolation", value));
      } else {
        in.expect("READ");
        boolean readOnly = in.take("ONLY");
        if (!readOnly) {
          in.expect("WRITE");
        }
        Expr value = new Expr.Literal(readOnly ? 1L : 0L);
        settings.add(new Setting(scope, "transaction_read_only", value));
      }
    } while (in.takeSymbol(","));
  }

  /** A literal, a bare word, or a variable. */
  private Expr value() {
    boolean negative = in.takeSymbol("-");
    Token token = in.next();
    switch (token.kind()) {
      case TEXT, QUOTED_NAME:
        return new Expr.Literal(token.text());
      case NUMBER:
        String digits = (negative ? "-" : "") + token.text();
        return new Expr.Literal(
            digits.matches("-?\\d+")
                ? Values.normal(new BigInteger(digits))
                : (Object) Double.valueOf(digits));
      case WORD:
        if (token.text().startsWith("@")) {
          return ExpressionConverter.variable(token.text());
        }
        return token.is("NULL") ? new Expr.Literal(null) : word(token);
      default:
        throw in.unexpected();
    }
  }

  private static Expr word(Token token) {
    return switch (token.upper()) {
      case "TRUE", "ON" -> new Expr.Literal(1L);
      case "FALSE", "OFF" -> new Expr.Literal(0L);
      case "DEFAULT" -> new Expr.Default();
      default -> new Expr.Literal(token.text());
    };
  }

  private Statement show() {
    if (!in.take("SESSION")) {
      in.take("GLOBAL");
    }
    boolean full = in.take("FULL");
    if (in.take("DATABASES") || in.take("SCHEMAS")) {
      return new Show(What.DATABASES, "", "", pattern());
    } else if (in.take("TABLES")) {
      String database = in.take("FROM") || in.take("IN") ? in.name() : "";
      return new Show(full ? What.FULL_TABLES : What.TABLES, database, "", pattern());
    } else if (in.take("VARIABLES")) {
      return new Show(What.VARIABLES, "", "", pattern());
    } else if (in.take("WARNINGS") || in.take("ERRORS")) {
      skipRest();
      return new Show(What.WARNINGS, "", "", "");
    } else if (in.take("CREATE", "TABLE")) {
      return showTable(What.CREATE_TABLE);
    } else if (in.take("TABLE")) {
      Show show = showTable(What.NEXT_ROW_ID);
      in.expect("NEXT_ROW_ID");
      return show;
    } else if (in.take("COLUMNS") || in.take("FIELDS")) {
      return showOf(What.COLUMNS);
    } else if (in.take("INDEX") || in.take("INDEXES") || in.take("KEYS")) {
      return showOf(What.INDEXES);
    }
    return showNothing();
  }

  private Statement showNothing() {
    switch (in.peek().upper()) {
      case "ENGINES", "COLLATION", "PLUGINS", "STATUS", "PROCESSLIST", "CHARACTER", "CHARSET",
          "GRANTS", "PRIVILEGES", "TRIGGERS", "EVENTS", "PROCEDURE", "FUNCTION" -> {
        skipRest();
        return new Show(What.EMPTY, "", "", "");
      }
      default -> throw in.unexpected();
    }
  }

  private Show showTable(What what) {
    Name table = in.tableName();
    return new Show(what, table.database(), table.name(), "");
  }

  private Show showOf(What what) {
    if (!in.take("FROM")) {
      in.expect("IN");
    }
    Name table = in.tableName();
    String database = in.take("FROM") || in.take("IN") ? in.name() : table.database();
    return new Show(what, database, table.name(), pattern());
  }

  /** {@code LIKE 'pattern'}, or empty. */
  private String pattern() {
    if (in.take("LIKE")) {
      Token pattern = in.next();
      if (pattern.kind() != Token.Kind.TEXT) {
        throw in.unexpected();
      }
      return pattern.text();
    }
    if (in.peek().is("WHERE")) {
      throw ExpressionConverter.unsupported("SHOW ... WHERE");
    }
    return "";
  }

  private Statement admin() {
    if (in.take("SHOW", "DDL", "JOBS")) {
      skipRest();
      return admin(Admin.Action.SHOW_DDL_JOBS);
    } else if (in.take("SHOW", "DDL")) {
      return admin(Admin.Action.SHOW_DDL);
    } else if (in.take("CANCEL", "DDL", "JOBS")) {
      return adminJobs(Admin.Action.CANCEL_DDL_JOBS);
    } else if (in.take("PAUSE", "DDL", "JOBS")) {
      return adminJobs(Admin.Action.PAUSE_DDL_JOBS);
    } else if (in.take("RESUME", "DDL", "JOBS")) {
      return adminJobs(Admin.Action.RESUME_DDL_JOBS);
    }
    in.expect("CHECK", "TABLE");
    Name table = in.tableName();
    TableRef ref = new TableRef(table.database(), table.name(), "");
    return new Admin(Admin.Action.CHECK_TABLE, List.of(), ref);
  }

  private static Admin admin(Admin.Action action) {
    return new Admin(action, List.of(), NO_TABLE);
  }

  private Admin adminJobs(Admin.Action action) {
    List<Long> jobs = new ArrayList<>();
    do {
      jobs.add(in.integer().longValue());
    } while (in.takeSymbol(","));
    return new Admin(action, List.copyOf(jobs), NO_TABLE);
  }
}
