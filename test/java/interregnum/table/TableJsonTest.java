package interregnum.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableJsonTest {

  private static final ColumnType BIGINT =
      new ColumnType(ColumnType.Kind.BIGINT, true, 0);
  private static final ColumnType VARCHAR =
      new ColumnType(ColumnType.Kind.VARCHAR, false, 20);
  private static final ColumnType DOUBLE =
      new ColumnType(ColumnType.Kind.DOUBLE, false, 0);

  private static final TableInfo TABLE =
      new TableInfo(
          12, "test", "T", List.of(
              new Column(1, "id", BIGINT, false, null, true, SchemaState.PUBLIC),
              new Column(2, "name", VARCHAR, true, "x", false, SchemaState.WRITE_ONLY),
              new Column(4, "d", DOUBLE, true, 1.5, false, SchemaState.PUBLIC)),
          List.of("id"),
          List.of(new IndexInfo(1, "n", List.of("name"), true, SchemaState.REORGANISING)),
          1, 100, 4, 1, SchemaState.WRITE_ONLY);

  @Test
  void definitionsSurviveTheStore() {
    assertThat(TableJson.read(TableJson.write(TABLE))).isEqualTo(TABLE);
  }

  @Test
  void rowsSurviveTheStore() {
    Row row = new Row();
    BigInteger large = new BigInteger("18446744073709551615");
    row.set(TABLE.columns().get(0), large);
    row.set(TABLE.columns().get(1), "q\"ö\n");
    row.set(TABLE.columns().get(2), 2.0);
    Row read = RowJson.read(TABLE, RowJson.write(TABLE, row));
    assertThat(read.values(TABLE, List.of("ID", "name", "d")))
        .containsExactly(large, "q\"ö\n", 2.0);
  }

  @Test
  void aRowFromBeforeAColumnReadsAsItsDefault() {
    Row read = RowJson.read(TABLE, "{\"1\":5,\"2\":null}");
    assertThat(read.values(TABLE, List.of("id", "name", "d"))).containsExactly(5L, null, 1.5);
  }
}
