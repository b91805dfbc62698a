package interregnum.server.mysql;

import interregnum.error.SqlException;
import interregnum.sql.Values;
import interregnum.sql.exec.Result;
import interregnum.sql.exec.ResultColumn;
import interregnum.table.ColumnType;
import java.io.IOException;
import java.util.Collections;
import java.util.List;

/** Writes what statements answer, in the text or the binary form. */
final class ResultWriter {

  static final int STATUS_IN_TRANSACTION = 1;
  static final int STATUS_AUTOCOMMIT = 2;

  private static final int BINARY_CHARSET = 63;
  private static final int UTF8MB4_BIN = 46;
  private static final int NULL_TEXT = 0xfb;
  private static final int FLAG_NOT_NULL = 1;
  private static final int FLAG_PRIMARY_KEY = 2;
  private static final int FLAG_UNSIGNED = 32;
  private static final int FLAG_BINARY = 128;
  private static final int FLAG_AUTO_INCREMENT = 512;

  private final PacketChannel channel;

  ResultWriter(PacketChannel channel) {
    this.channel = channel;
  }

  void done(Result.Done done, int status) throws IOException {
    channel.write(
        new PayloadWriter()
            .int1(0)
            .lengthEncoded(done.affected())
            .lengthEncoded(done.lastInsertId())
            .int2(status)
            .int2(0)
            .lengthEncoded(done.info()));
  }

  void error(SqlException e) throws IOException {
    channel.write(
        new PayloadWriter()
            .int1(0xff)
            .int2(e.error().code())
            .text("#" + e.error().sqlState())
            .text(e.getMessage()));
  }

  /** An error before the handshake, when a client does not know of SQL states. */
  void earlyError(SqlException e) throws IOException {
    channel.write(new PayloadWriter().int1(0xff).int2(e.error().code()).text(e.getMessage()));
  }

  void rows(Result.Rows result, int status, boolean binary) throws IOException {
    channel.write(new PayloadWriter().lengthEncoded(result.columns().size()));
    columns(result.columns(), status);
    for (List<Object> row : result.rows()) {
      channel.write(binary ? binaryRow(result.columns(), row) : textRow(row));
    }
    end(status);
  }

  /** The answer to a prepared statement. */
  void prepared(int id, List<ResultColumn> columns, int parameterCount, int status)
      throws IOException {
    channel.write(
        new PayloadWriter()
            .int1(0)
            .int4(id)
            .int2(columns.size())
            .int2(parameterCount)
            .int1(0)
            .int2(0));
    if (parameterCount > 0) {
      columns(Collections.nCopies(parameterCount, ResultColumn.text("?")), status);
    }
    if (!columns.isEmpty()) {
      columns(columns, status);
    }
  }

  /** Column definitions and the end of their list. */
  void columns(List<ResultColumn> columns, int status) throws IOException {
    for (ResultColumn column : columns) {
      channel.write(definition(column));
    }
    end(status);
  }

  private void end(int status) throws IOException {
    channel.write(new PayloadWriter().int1(0xfe).int2(0).int2(status));
  }

  private static PayloadWriter definition(ResultColumn column) {
    boolean text = column.type().kind().isText();
    int flags = column.notNull() ? FLAG_NOT_NULL : 0;
    flags |= column.primaryKey() ? FLAG_PRIMARY_KEY : 0;
    flags |= column.type().unsigned() ? FLAG_UNSIGNED : 0;
    flags |= column.autoIncrement() ? FLAG_AUTO_INCREMENT : 0;
    flags |= text ? 0 : FLAG_BINARY;
    return new PayloadWriter()
        .lengthEncoded("def")
        .lengthEncoded(column.database())
        .lengthEncoded(column.table())
        .lengthEncoded(column.table())
        .lengthEncoded(column.name())
        .lengthEncoded(column.table().isEmpty() ? "" : column.name())
        .lengthEncoded(0x0c)
        .int2(text ? UTF8MB4_BIN : BINARY_CHARSET)
        .int4(displayLength(column.type()))
        .int1(typeCode(column.type()))
        .int2(flags)
        .int1(column.type().kind() == ColumnType.Kind.DOUBLE ? 31 : 0)
        .zeros(2);
  }

  private static int typeCode(ColumnType type) {
    return switch (type.kind()) {
      case TINYINT -> 1;
      case SMALLINT -> 2;
      case INT -> 3;
      case DOUBLE -> 5;
      case BIGINT -> 8;
      case MEDIUMINT -> 9;
      case TEXT -> 0xfc;
      case VARCHAR -> 0xfd;
      case CHAR -> 0xfe;
    };
  }

  private static int displayLength(ColumnType type) {
    return switch (type.kind()) {
      case TINYINT -> 4;
      case SMALLINT -> 6;
      case MEDIUMINT -> 9;
      case INT -> 11;
      case BIGINT -> 20;
      case DOUBLE -> 22;
      case TEXT -> 0xffff;
      default -> type.length() > 0 ? type.length() * 4 : 0xffff;
    };
  }

  private static PayloadWriter textRow(List<Object> row) {
    PayloadWriter out = new PayloadWriter();
    for (Object value : row) {
      if (value == null) {
        out.int1(NULL_TEXT);
      } else {
        out.lengthEncoded(Values.toText(value));
      }
    }
    return out;
  }

  private static PayloadWriter binaryRow(List<ResultColumn> columns, List<Object> row) {
    int nullBitmapAt = 1;
    PayloadWriter out = new PayloadWriter().int1(0).zeros((columns.size() + 7 + 2) / 8);
    for (int i = 0; i < columns.size(); i++) {
      Object value = row.get(i);
      if (value == null) {
        out.setBits(nullBitmapAt + (i + 2) / 8, 1 << (i + 2) % 8);
      } else {
        binaryValue(out, columns.get(i).type(), value);
      }
    }
    return out;
  }

  private static void binaryValue(PayloadWriter out, ColumnType type, Object value) {
    switch (type.kind()) {
      case TINYINT -> out.int1((int) Values.bits(value));
      case SMALLINT -> out.int2((int) Values.bits(value));
      case MEDIUMINT, INT -> out.int4(Values.bits(value));
      case BIGINT -> out.int8(Values.bits(value));
      case DOUBLE -> out.int8(Double.doubleToLongBits(Values.toDouble(value)));
      default -> out.lengthEncoded(Values.toText(value));
    }
  }
}
