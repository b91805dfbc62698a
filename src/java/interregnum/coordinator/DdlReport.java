package interregnum.coordinator;

import interregnum.schema.JsonText;
import interregnum.schema.MdlRow;
import interregnum.schema.NodeContext;
import interregnum.schema.SchemaDiff;
import interregnum.schema.SchemaKeys;
import interregnum.store.StoreTxn;
import interregnum.table.Keys;
import java.util.ArrayList;
import java.util.List;

/** What stands in the store about schema changes, for whoever wants to look inside. */
public final class DdlReport {
  private final NodeContext node;

  public DdlReport(NodeContext node) {
    this.node = node;
  }

  /** All diffs, by version. */
  public List<SchemaDiff> diffs() throws InterruptedException {
    return read(SchemaKeys.DIFFS, SchemaDiff.class);
  }

  /** The metadata lock rows, by job. */
  public List<MdlRow> mdlRows() throws InterruptedException {
    return read(SchemaKeys.MDL_ROWS, MdlRow.class);
  }

  /** The last schema version given out. */
  public long version() throws InterruptedException {
    return node.store().begin().get(SchemaKeys.VERSION).map(Long::parseLong).orElse(0L);
  }

  private <T> List<T> read(String prefix, Class<T> type) throws InterruptedException {
    List<T> list = new ArrayList<>();
    for (StoreTxn.Entry entry : node.store().begin().scan(prefix, Keys.end(prefix), 0)) {
      list.add(JsonText.read(entry.value(), type));
    }
    return list;
  }
}
