package interregnum.sql.exec;

import interregnum.error.SqlError;
import interregnum.sql.Expr;
import interregnum.sql.Values;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/** The functions and variables that expressions of a session use. */
final class SessionFunctions implements Functions {

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

  private final Session session;

  SessionFunctions(Session session) {
    this.session = session;
  }

  @Override
  public Object systemVariable(Expr.SystemVariable variable) {
    return session.variables().get(variable.name());
  }

  @Override
  public Object userVariable(String name) {
    return session.userVariable(name);
  }

  @Override
  public Object call(String name, List<Object> arguments) {
    return switch (name) {
      case "last_insert_id" -> Values.ofBits(session.lastInsertId(), true);
      case "version" -> SystemVariables.SERVER_VERSION;
      case "tidb_version" ->
          "Release Version: interregnum-0.1.0\nEdition: Reference\nStore: etcd";
      case "connection_id" -> session.connectionId();
      case "database", "schema" -> session.database().isEmpty() ? null : session.database();
      case "user", "current_user", "session_user", "system_user" -> "root@%";
      case "now", "current_timestamp", "localtime", "sysdate" ->
          dateTime(session.wallTimeMillis() / 1000);
      case "unix_timestamp" -> session.wallTimeMillis() / 1000;
      case "row_count" -> session.rowCount();
      default -> ofArguments(name, arguments);
    };
  }

  private static String dateTime(long epochSeconds) {
    LocalDate day = LocalDate.ofEpochDay(Math.floorDiv(epochSeconds, 86_400L));
    return day + " " + LocalTime.ofSecondOfDay(Math.floorMod(epochSeconds, 86_400L)).format(CLOCK);
  }

  private static Object ofArguments(String name, List<Object> arguments) {
    boolean anyNull = arguments.stream().anyMatch(Objects::isNull);
    switch (name) {
      case "if":
        requireCount(name, arguments, 3);
        return Values.isTrue(arguments.get(0)) ? arguments.get(1) : arguments.get(2);
      case "ifnull", "coalesce":
        return arguments.stream().filter(Objects::nonNull).findFirst().orElse(null);
      case "isnull":
        requireCount(name, arguments, 1);
        return anyNull ? 1L : 0L;
      case "concat":
        return anyNull
            ? null
            : arguments.stream().map(Values::toText).collect(Collectors.joining());
      default:
        return ofText(name, arguments, anyNull);
    }
  }

  private static Object ofText(String name, List<Object> arguments, boolean anyNull) {
    if (!List.of("lower", "upper", "length", "char_length", "abs").contains(name)) {
      throw SqlError.NO_SUCH_FUNCTION.with("FUNCTION %s does not exist", name);
    }
    requireCount(name, arguments, 1);
    if (anyNull) {
      return null;
    }
    Object value = arguments.get(0);
    String text = Values.toText(value);
    return switch (name) {
      case "lower" -> text.toLowerCase(Locale.ROOT);
      case "upper" -> text.toUpperCase(Locale.ROOT);
      case "char_length" -> (long) text.codePointCount(0, text.length());
      case "abs" ->
          Values.isInteger(value)
              ? Values.normal(Values.big(value).abs())
              : (Object) Math.abs(Values.toDouble(value));
      default -> (long) text.getBytes(StandardCharsets.UTF_8).length;
    };
  }

  private static void requireCount(String name, List<Object> arguments, int count) {
    if (arguments.size() != count) {
      throw SqlError.WRONG_ARGUMENTS.with(
          "Incorrect parameter count in the call to native function '%s'", name);
    }
  }
}
