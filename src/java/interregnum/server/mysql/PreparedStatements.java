package interregnum.server.mysql;

import interregnum.error.SqlError;
import interregnum.sql.parser.ParsedStatement;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The prepared statements of a connection. Used by one thread. */
final class PreparedStatements {

  private static final int COUNT_MAX = 10_000;

  /** A statement, what its parameters were last declared as, and data sent ahead for some. */
  static final class Prepared {
    private final ParsedStatement statement;
    private int[] types = new int[0];
    private final Map<Integer, ByteArrayOutputStream> sentAhead = new TreeMap<>();

    Prepared(ParsedStatement statement) {
      this.statement = statement;
    }

    ParsedStatement statement() {
      return statement;
    }

    /** Forgets data sent ahead. */
    void reset() {
      sentAhead.clear();
    }

    void sendAhead(int parameter, byte[] data, int limit) throws ProtocolException {
      ByteArrayOutputStream sent =
          sentAhead.computeIfAbsent(parameter, p -> new ByteArrayOutputStream());
      if (parameter >= statement.parameterCount() || sent.size() + data.length > limit) {
        throw ProtocolException.malformed();
      }
      sent.writeBytes(data);
    }

    /** The values of the parameters in an execute command, read from behind its header. */
    List<Object> parameters(PayloadReader in) throws ProtocolException {
      int count = statement.parameterCount();
      List<Object> values = new ArrayList<>();
      if (count == 0) {
        return values;
      }
      byte[] nulls = in.raw((count + 7) / 8);
      if (in.int1() == 1) {
        types = new int[count];
        for (int i = 0; i < count; i++) {
          types[i] = in.int2();
        }
      }
      if (types.length != count) {
        throw ProtocolException.malformed();
      }
      for (int i = 0; i < count; i++) {
        values.add(parameter(in, i, (nulls[i / 8] & 1 << i % 8) != 0));
      }
      sentAhead.clear();
      return values;
    }

    private Object parameter(PayloadReader in, int i, boolean isNull) throws ProtocolException {
      if (sentAhead.containsKey(i)) {
        return BinaryValues.text(sentAhead.get(i).toByteArray());
      }
      return isNull ? null : BinaryValues.read(in, types[i]);
    }
  }

  private final Map<Integer, Prepared> statements = new TreeMap<>();
  private int lastId;

  int add(ParsedStatement statement) {
    if (statements.size() >= COUNT_MAX) {
      throw SqlError.TOO_MANY_PREPARED.with(
          "Can't create more than max_prepared_stmt_count statements (current value: %d)",
          COUNT_MAX);
    }
    lastId++;
    statements.put(lastId, new Prepared(statement));
    return lastId;
  }

  Prepared get(long id) {
    Prepared prepared = statements.get((int) id);
    if (prepared == null) {
      throw SqlError.UNKNOWN_PREPARED.with("Unknown prepared statement handler (%d)", id);
    }
    return prepared;
  }

  void close(long id) {
    statements.remove((int) id);
  }

  void closeAll() {
    statements.clear();
  }
}
