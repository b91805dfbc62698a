package interregnum.sql.parser;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.sql.Values;
import interregnum.sql.parser.TokenReader.Name;
import interregnum.table.Column;
import interregnum.table.ColumnType;
import interregnum.table.ColumnType.Kind;
import interregnum.table.DdlStatement;
import interregnum.table.IndexInfo;
import interregnum.table.SchemaState;
import interregnum.table.TableInfo;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code CREATE TABLE}, and the column definitions that ALTER TABLE shares with it. */
final class TableParser {

  private static final Map<String, Kind> KINDS =
      Map.ofEntries(
          Map.entry("TINYINT", Kind.TINYINT),
          Map.entry("BOOL", Kind.TINYINT),
          Map.entry("BOOLEAN", Kind.TINYINT),
          Map.entry("SMALLINT", Kind.SMALLINT),
          Map.entry("MEDIUMINT", Kind.MEDIUMINT),
          Map.entry("INT", Kind.INT),
          Map.entry("INTEGER", Kind.INT),
          Map.entry("BIGINT", Kind.BIGINT),
          Map.entry("DOUBLE", Kind.DOUBLE),
          Map.entry("FLOAT", Kind.DOUBLE),
          Map.entry("REAL", Kind.DOUBLE),
          Map.entry("CHAR", Kind.CHAR),
          Map.entry("VARCHAR", Kind.VARCHAR),
          Map.entry("TINYTEXT", Kind.TEXT),
          Map.entry("TEXT", Kind.TEXT),
          Map.entry("MEDIUMTEXT", Kind.TEXT),
          Map.entry("LONGTEXT", Kind.TEXT));

  /** A column, and whether its definition also makes it a key. */
  record ColumnDefinition(Column column, boolean primary, boolean unique) {}

  private final TokenReader in;
  private final List<Column> columns = new ArrayList<>();
  private final List<IndexInfo> indexes = new ArrayList<>();
  private List<String> primaryKey = List.of();
  private long autoIdCache;
  private long autoIncrement;

  TableParser(TokenReader in) {
    this.in = in;
  }

  DdlStatement.CreateTable createTable(Name name, boolean ifNotExists) {
    if (in.peek().is("LIKE") || in.peek().is("AS") || in.peek().is("SELECT")) {
      throw ExpressionConverter.unsupported("CREATE TABLE ... " + in.peek().text());
    }
    in.expectSymbol("(");
    do {
      element();
    } while (in.takeSymbol(","));
    in.expectSymbol(")");
    options();
    TableInfo table =
        new TableInfo(
            0,
            name.database(),
            name.name(),
            columns,
            primaryKey,
            indexes,
            autoIdCache,
            autoIncrement,
            columns.size(),
            indexes.size(),
            SchemaState.PUBLIC);
    return new DdlStatement.CreateTable(TableRules.checked(table), ifNotExists);
  }

  private void element() {
    if (in.take("PRIMARY", "KEY")) {
      skipIndexType();
      setPrimaryKey(in.names());
    } else if (in.take("CONSTRAINT")) {
      constraint();
    } else if (in.take("UNIQUE")) {
      if (!in.take("KEY")) {
        in.take("INDEX");
      }
      index(true);
    } else if (in.take("KEY") || in.take("INDEX")) {
      index(false);
    } else if (in.peek().is("FOREIGN") || in.peek().is("CHECK") || in.peek().is("FULLTEXT")) {
      throw ExpressionConverter.unsupported(in.peek().text());
    } else {
      ColumnDefinition definition = columnDefinition(columns.size() + 1);
      columns.add(definition.column());
      if (definition.primary()) {
        setPrimaryKey(List.of(definition.column().name()));
      } else if (definition.unique()) {
        addIndex("", List.of(definition.column().name()), true);
      }
      return;
    }
    skipIndexType();
  }

  private void constraint() {
    String name = in.peek().is("PRIMARY") || in.peek().is("UNIQUE") ? "" : in.name();
    if (in.take("PRIMARY", "KEY")) {
      skipIndexType();
      setPrimaryKey(in.names());
    } else if (in.take("UNIQUE")) {
      if (!in.take("KEY")) {
        in.take("INDEX");
      }
      String own = in.peek().isSymbol("(") ? name : in.name();
      skipIndexType();
      addIndex(own, in.names(), true);
    } else {
      throw ExpressionConverter.unsupported("CONSTRAINT " + in.peek().text());
    }
  }

  private void index(boolean unique) {
    String name = in.peek().isSymbol("(") ? "" : in.name();
    skipIndexType();
    addIndex(name, in.names(), unique);
  }

  private void skipIndexType() {
    if (in.take("USING")) {
      in.name();
    }
    if (!in.take("CLUSTERED")) {
      in.take("NONCLUSTERED");
    }
  }

  private void addIndex(String name, List<String> columnNames, boolean unique) {
    String given = name.isEmpty() ? unusedName(columnNames.get(0)) : name;
    indexes.add(
        new IndexInfo(indexes.size() + 1, given, columnNames, unique, SchemaState.PUBLIC));
  }

  private String unusedName(String base) {
    String name = base;
    for (int i = 2; isIndexNamed(name); i++) {
      name = base + "_" + i;
    }
    return name;
  }

  private boolean isIndexNamed(String name) {
    return indexes.stream().anyMatch(i -> i.isNamed(name));
  }

  private void setPrimaryKey(List<String> columnNames) {
    if (!primaryKey.isEmpty()) {
      throw SqlError.MULTIPLE_PRIMARY_KEYS.with("Multiple primary key defined");
    }
    primaryKey = columnNames;
  }

  /** {@code name type [option ...]}. */
  ColumnDefinition columnDefinition(int id) {
    String name = in.name();
    ColumnType type = type(name);
    boolean nullable = true;
    boolean auto = false;
    boolean primary = false;
    boolean unique = false;
    boolean hasDefault = false;
    Object defaultValue = null;
    boolean more = true;
    while (more) {
      if (in.take("NOT", "NULL")) {
        nullable = false;
      } else if (in.take("AUTO_INCREMENT")) {
        auto = true;
      } else if (in.take("PRIMARY", "KEY") || in.take("PRIMARY")) {
        primary = true;
        skipIndexType();
      } else if (in.take("UNIQUE")) {
        unique = true;
        in.take("KEY");
      } else if (in.take("DEFAULT")) {
        hasDefault = true;
        defaultValue = literal();
      } else {
        more = skipColumnOption();
      }
    }
    Column column =
        new Column(
            id, name, type, nullable && !primary && !auto, null, auto, SchemaState.PUBLIC);
    return new ColumnDefinition(
        hasDefault ? withDefault(column, defaultValue) : column, primary, unique);
  }

  private static Column withDefault(Column column, Object value) {
    try {
      return new Column(
          column.id(),
          column.name(),
          column.type(),
          column.nullable(),
          Values.coerce(column, value, 1),
          column.autoIncrement(),
          column.state());
    } catch (SqlException e) {
      throw SqlError.INVALID_DEFAULT.with("Invalid default value for '%s'", column.name());
    }
  }

  private boolean skipColumnOption() {
    if (in.take("NULL") || in.take("KEY")) {
      return true;
    }
    if (in.take("COMMENT")) {
      in.next();
      return true;
    }
    if (in.take("COLLATE") || in.take("CHARACTER", "SET") || in.take("CHARSET")) {
      in.next();
      return true;
    }
    return false;
  }

  private Object literal() {
    boolean negative = in.takeSymbol("-");
    Token token = in.next();
    if (token.kind() == Token.Kind.TEXT) {
      return token.text();
    } else if (token.is("NULL")) {
      return null;
    } else if (token.is("TRUE") || token.is("FALSE")) {
      return token.is("TRUE") ? 1L : 0L;
    } else if (token.kind() == Token.Kind.NUMBER) {
      String digits = (negative ? "-" : "") + token.text();
      return digits.matches("-?\\d+")
          ? Values.normal(new BigInteger(digits))
          : (Object) Double.valueOf(digits);
    }
    throw ExpressionConverter.unsupported("DEFAULT " + token.text());
  }

  private ColumnType type(String column) {
    Token word = in.peek();
    Kind kind = KINDS.get(word.upper());
    if (kind == null) {
      boolean known =
          List.of("DECIMAL", "NUMERIC", "DATE", "DATETIME", "TIMESTAMP", "TIME", "YEAR", "BIT",
                  "BLOB", "LONGBLOB", "BINARY", "VARBINARY", "ENUM", "SET", "JSON")
              .contains(word.upper());
      throw known ? ExpressionConverter.unsupported(word.text()) : in.unexpected();
    }
    in.next();
    in.take("PRECISION");
    int length = length(kind, column);
    boolean unsigned = false;
    while (in.peek().is("UNSIGNED") || in.peek().is("SIGNED") || in.peek().is("ZEROFILL")) {
      unsigned |= in.next().is("UNSIGNED");
    }
    return new ColumnType(kind, unsigned && kind.isInteger(), length);
  }

  private int length(Kind kind, String column) {
    if (kind != Kind.CHAR && kind != Kind.VARCHAR) {
      in.skipParentheses();
      return 0;
    }
    if (!in.takeSymbol("(")) {
      if (kind == Kind.VARCHAR) {
        throw in.unexpected();
      }
      return 1;
    }
    BigInteger length = in.integer();
    in.expectSymbol(")");
    if (length.bitLength() > 16 || length.intValue() > 16_383) {
      throw SqlError.COLUMN_TOO_LONG.with(
          "Column length too big for column '%s' (max = 16383); use BLOB or TEXT instead", column);
    }
    return length.intValue();
  }

  private void options() {
    while (!in.atEnd()) {
      in.takeSymbol(",");
      if (in.take("AUTO_INCREMENT")) {
        in.takeSymbol("=");
        autoIncrement = in.integer().longValue();
      } else if (in.take("AUTO_ID_CACHE")) {
        in.takeSymbol("=");
        autoIdCache = in.integer().longValue();
      } else {
        skipOption();
      }
    }
  }

  /** {@code ENGINE = InnoDB}, {@code DEFAULT CHARACTER SET utf8mb4}, {@code COMMENT 'x'}. */
  private void skipOption() {
    in.take("DEFAULT");
    if (!in.take("CHARACTER", "SET")) {
      String option = in.name().toUpperCase(Locale.ROOT);
      if (option.equals("PARTITION") || option.equals("AS") || option.equals("SELECT")) {
        throw ExpressionConverter.unsupported("CREATE TABLE ... " + option);
      }
    }
    in.takeSymbol("=");
    Token value = in.next();
    if (value.kind() == Token.Kind.END || value.kind() == Token.Kind.SYMBOL) {
      throw in.unexpected();
    }
  }
}
