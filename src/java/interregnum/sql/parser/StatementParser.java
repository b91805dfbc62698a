package interregnum.sql.parser;

import interregnum.error.SqlException;
import interregnum.runtime.Mutex;
import interregnum.runtime.Runtime;
import interregnum.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.sf.jsqlparser.parser.CCJSqlParserUtil;

/**
 * Parses statements, and keeps the queries it parsed last so that one which differs only in its
 * values need not be parsed again. Safe for use by any task.
 */
public final class StatementParser {

  private static final int CACHED_MAX = 1000;
  private static final int CACHED_LENGTH_MAX = 4000;

  private final Mutex lock;
  private final Map<String, Statement> cache; // guarded by lock

  public StatementParser(Runtime runtime) {
    lock = runtime.mutex("statement cache");
    cache =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Statement> eldest) {
            return size() > CACHED_MAX;
          }
        };
  }

  /**
   * The statement that {@code sql} is.
   *
   * @throws SqlException if it is none, or one that nodes do not support
   */
  public ParsedStatement parse(String sql) {
    List<Token> tokens = Lexer.tokens(sql);
    TokenReader reader = new TokenReader(sql, tokens);
    return switch (reader.peek().upper()) {
      case "SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE", "(" ->
          query(sql, Template.of(tokens.subList(0, tokens.size() - 1)));
      case "CREATE", "DROP", "ALTER", "RENAME", "TRUNCATE" ->
          plain(new DdlParser(reader).parse());
      default -> plain(new CommandParser(reader).parse());
    };
  }

  private static ParsedStatement plain(Statement statement) {
    return new ParsedStatement(statement, List.of());
  }

  private ParsedStatement query(String sql, Template template) {
    lock.lock();
    Statement statement;
    try {
      statement = cache.get(template.sql());
    } finally {
      lock.unlock();
    }
    if (statement == null) {
      statement = parseQuery(sql, template.sql());
      remember(template.sql(), statement);
    }
    return new ParsedStatement(statement, template.slots());
  }

  private void remember(String template, Statement statement) {
    if (template.length() > CACHED_LENGTH_MAX) {
      return;
    }
    lock.lock();
    try {
      cache.put(template, statement);
    } finally {
      lock.unlock();
    }
  }

  private static Statement parseQuery(String sql, String template) {
    if (template.indexOf(';') >= 0 && template.matches("(?s)[^`]*;.*")) {
      throw Lexer.syntaxError(sql, sql.indexOf(';'));
    }
    try {
      return QueryConverter.convertStatement(
          CCJSqlParserUtil.newParser(template).withAllowComplexParsing(false).Statement());
    } catch (SqlException e) {
      throw e;
    } catch (net.sf.jsqlparser.parser.ParseException e) {
      throw syntaxError(e.currentToken == null ? "" : e.currentToken.next.image, sql);
    } catch (RuntimeException | StackOverflowError e) {
      throw syntaxError("", sql);
    }
  }

  private static SqlException syntaxError(String token, String sql) {
    int position = token.isEmpty() || token.equals("?") ? 0 : Math.max(0, sql.indexOf(token));
    return Lexer.syntaxError(sql, position);
  }
}
