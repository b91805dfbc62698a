package interregnum.schema;

import java.util.List;

/**
 * Asks the nodes to report when nothing on them uses the tables at a lower version any more.
 *
 * @param owner the node that wrote it, and its term
 */
public record MdlRow(long jobId, long version, List<Long> tableIds, String owner) {

  public MdlRow {
    tableIds = List.copyOf(tableIds);
  }
}
