package interregnum.error;

import java.util.Locale;

/**
 * What a node can answer a statement with instead of a result. {@code resources/errors.edn} says
 * what each one means; a test holds the two equal.
 */
public enum SqlError {
  TOO_MANY_CONNECTIONS(1040, "08004", true),
  BAD_HANDSHAKE(1043, "08S01", true),
  ACCESS_DENIED(1045, "28000", true),
  NO_DATABASE(1046, "3D000", true),
  UNKNOWN_COMMAND(1047, "08S01", true),
  NULL_NOT_ALLOWED(1048, "23000", true),
  UNKNOWN_DATABASE(1049, "42000", true),
  TABLE_EXISTS(1050, "42S01", true),
  UNKNOWN_TABLE(1051, "42S02", true),
  SHUTDOWN(1053, "08S01", true),
  UNKNOWN_COLUMN(1054, "42S22", true),
  TOO_LONG_NAME(1059, "42000", true),
  DUP_COLUMN(1060, "42S21", true),
  DUP_INDEX(1061, "42000", true),
  DUP_KEY(1062, "23000", true),
  WRONG_COLUMN_SPEC(1063, "42000", true),
  SYNTAX(1064, "42000", true),
  EMPTY_QUERY(1065, "42000", true),
  INVALID_DEFAULT(1067, "42000", true),
  MULTIPLE_PRIMARY_KEYS(1068, "42000", true),
  KEY_COLUMN_MISSING(1072, "42000", true),
  COLUMN_TOO_LONG(1074, "42000", true),
  WRONG_AUTO_COLUMN(1075, "42000", true),
  LAST_COLUMN(1090, "42000", true),
  NOTHING_TO_DROP(1091, "42000", true),
  INTERNAL(1105, "HY000", false),
  COLUMN_TWICE(1110, "42000", true),
  UNKNOWN_CHARSET(1115, "42000", true),
  VALUE_COUNT(1136, "21S01", true),
  NO_SUCH_TABLE(1146, "42S02", true),
  PACKET_TOO_LARGE(1153, "08S01", true),
  NO_SUCH_INDEX(1176, "42000", true),
  UNKNOWN_VARIABLE(1193, "HY000", true),
  WRONG_ARGUMENTS(1210, "HY000", true),
  WRONG_VARIABLE_VALUE(1231, "42000", true),
  NOT_SUPPORTED(1235, "42000", true),
  READ_ONLY_VARIABLE(1238, "HY000", true),
  UNKNOWN_PREPARED(1243, "HY000", true),
  OUT_OF_RANGE(1264, "22003", true),
  TRUNCATED_VALUE(1292, "22007", true),
  NO_SUCH_FUNCTION(1305, "42000", true),
  NO_DEFAULT(1364, "HY000", true),
  WRONG_VALUE(1366, "HY000", true),
  TOO_LONG(1406, "22001", true),
  TOO_MANY_PREPARED(1461, "42000", true),
  NO_AUTO_ID(1467, "HY000", true),
  NUMBER_OVERFLOW(1690, "22003", true),
  MALFORMED_PACKET(1835, "HY000", true),
  TABLE_INCONSISTENT(8003, "HY000", true),
  SCHEMA_EXPIRED(8027, "HY000", true),
  SCHEMA_CHANGED(8028, "HY000", true),
  DDL_CANCELLED(8214, "HY000", true),
  NO_SUCH_DDL_JOB(8224, "HY000", true),
  DDL_NOT_CANCELLABLE(8225, "HY000", true),
  UNDETERMINED(8501, "HY000", false),
  STORE_UNREACHABLE(9005, "HY000", true),
  WRITE_CONFLICT(9007, "HY000", true);

  private final int code;
  private final String sqlState;
  private final boolean definite;

  SqlError(int code, String sqlState, boolean definite) {
    this.code = code;
    this.sqlState = sqlState;
    this.definite = definite;
  }

  /** MySQL's number, or TiDB's where MySQL has none. */
  public int code() {
    return code;
  }

  /** The five characters of the SQL standard's class and subclass. */
  public String sqlState() {
    return sqlState;
  }

  /** Whether the statement certainly had no effect. */
  public boolean isDefinite() {
    return definite;
  }

  /** The name in {@code errors.edn}, such as {@code dup-key}. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** An exception of this error with a message for people. */
  public SqlException with(String format, Object... arguments) {
    return new SqlException(this, String.format(Locale.ROOT, format, arguments));
  }
}
