package interregnum.sql.exec;

import interregnum.error.SqlError;
import interregnum.sql.Values;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The system variables of one session. Those that steer the session are read here by name; the rest
 * exist because clients ask for them on connecting. Variables that begin with {@code tidb_} are
 * kept and otherwise ignored. Used by one task.
 */
final class SystemVariables {

  static final String SERVER_VERSION = "8.0.11-interregnum-0.1.0";

  /** The term under which the session's last automatic id was reserved; 0 before the first. */
  private static final String ID_TERM = "interregnum_autoid_term";

  private static final Map<String, Object> DEFAULTS = defaults();
  private static final Set<String> READ_ONLY =
      Set.of(ID_TERM, "hostname", "license", "lower_case_table_names", "port", "system_time_zone",
          "version", "version_comment", "version_compile_os", "version_compile_machine");
  private static final Set<String> SWITCHES =
      Set.of("autocommit", "foreign_key_checks", "unique_checks", "sql_safe_updates",
          "transaction_read_only", "tx_read_only", "sql_auto_is_null", "big_tables");

  private final Map<String, Object> values = new TreeMap<>(DEFAULTS);

  private static Map<String, Object> defaults() {
    Map<String, Object> v = new TreeMap<>();
    v.put("auto_increment_increment", 1L);
    v.put("auto_increment_offset", 1L);
    v.put("autocommit", 1L);
    v.put("big_tables", 0L);
    for (String name : new String[] {"client", "connection", "database", "results", "server"}) {
      v.put("character_set_" + name, "utf8mb4");
    }
    v.put("character_set_system", "utf8mb3");
    for (String name : new String[] {"connection", "database", "server"}) {
      v.put("collation_" + name, "utf8mb4_bin");
    }
    v.put("foreign_key_checks", 1L);
    v.put("hostname", "localhost");
    v.put("init_connect", "");
    v.put("innodb_lock_wait_timeout", 50L);
    v.put(ID_TERM, 0L);
    v.put("interactive_timeout", 28800L);
    v.put("license", "none");
    v.put("lower_case_table_names", 2L);
    v.put("max_allowed_packet", 67108864L);
    v.put("max_execution_time", 0L);
    v.put("net_buffer_length", 16384L);
    v.put("net_read_timeout", 30L);
    v.put("net_write_timeout", 60L);
    v.put("performance_schema", 0L);
    v.put("port", 4000L);
    v.put("query_cache_size", 0L);
    v.put("query_cache_type", 0L);
    v.put("sql_auto_is_null", 0L);
    v.put("sql_mode", "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION");
    v.put("sql_safe_updates", 0L);
    v.put("sql_select_limit", Values.ofBits(-1, true));
    v.put("system_time_zone", "UTC");
    v.put("time_zone", "SYSTEM");
    v.put("transaction_isolation", "REPEATABLE-READ");
    v.put("transaction_read_only", 0L);
    v.put("tx_isolation", "REPEATABLE-READ");
    v.put("tx_read_only", 0L);
    v.put("unique_checks", 1L);
    v.put("version", SERVER_VERSION);
    v.put("version_comment", "Interregnum reference node");
    v.put("version_compile_machine", "any");
    v.put("version_compile_os", "any");
    v.put("wait_timeout", 28800L);
    return v;
  }

  /** All names and values, in order of name. */
  Map<String, Object> all() {
    return new TreeMap<>(values);
  }

  /** A variable's value. */
  Object get(String name) {
    if (!values.containsKey(name) && !name.startsWith("tidb_")) {
      throw unknown(name);
    }
    return values.get(name);
  }

  /** A variable's value as a number. */
  int integer(String name) {
    return ((Long) values.get(name)).intValue();
  }

  /** Whether the variable is on. */
  boolean isOn(String name) {
    return Values.isTrue(values.get(name));
  }

  /** Notes the term under which an automatic id was reserved. */
  void idTerm(long term) {
    values.put(ID_TERM, term);
  }

  /** The value that {@code SET name = DEFAULT} gives. */
  Object defaultOf(String name) {
    return DEFAULTS.get(name);
  }

  /** Gives a variable a value, brought into the variable's form. */
  void set(String name, Object value) {
    boolean known = values.containsKey(name);
    if (!known && !name.startsWith("tidb_")) {
      throw unknown(name);
    }
    if (READ_ONLY.contains(name)) {
      throw SqlError.READ_ONLY_VARIABLE.with(
          "Variable '%s' is a read only variable", name);
    }
    Object stored = value;
    if (SWITCHES.contains(name)) {
      stored = switchValue(name, value);
    } else if (name.equals("auto_increment_increment") || name.equals("auto_increment_offset")) {
      stored = bounded(name, value, 65_535);
    } else if (values.get(name) instanceof Long) {
      stored = bounded(name, value, Long.MAX_VALUE);
    }
    values.put(name, stored);
    String twin = twin(name);
    if (!twin.isEmpty()) {
      values.put(twin, stored);
    }
  }

  private static String twin(String name) {
    return switch (name) {
      case "transaction_isolation" -> "tx_isolation";
      case "tx_isolation" -> "transaction_isolation";
      case "transaction_read_only" -> "tx_read_only";
      case "tx_read_only" -> "transaction_read_only";
      default -> "";
    };
  }

  private static Object switchValue(String name, Object value) {
    String text = value == null ? "" : Values.toText(value).toUpperCase(Locale.ROOT);
    return switch (text) {
      case "1", "ON", "TRUE" -> 1L;
      case "0", "OFF", "FALSE" -> 0L;
      default -> throw wrongValue(name, value);
    };
  }

  /** As MySQL does, a number outside the variable's range becomes the nearest inside it. */
  private static Object bounded(String name, Object value, long max) {
    if (!(value instanceof Long n)) {
      throw wrongValue(name, value);
    }
    return Math.max(name.startsWith("auto_increment") ? 1 : 0, Math.min(max, n));
  }

  private static RuntimeException wrongValue(String name, Object value) {
    return SqlError.WRONG_VARIABLE_VALUE.with(
        "Variable '%s' can't be set to the value of '%s'",
        name, value == null ? "NULL" : Values.toText(value));
  }

  private static RuntimeException unknown(String name) {
    return SqlError.UNKNOWN_VARIABLE.with("Unknown system variable '%s'", name);
  }
}
