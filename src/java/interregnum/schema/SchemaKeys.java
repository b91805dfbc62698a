package interregnum.schema;

import java.util.Locale;

/**
 * Where schema versions and what goes with them stand.
 *
 * <pre>
 *   in the store
 *   /interregnum/meta/schema-version        the last version given out
 *   /interregnum/meta/diff/VERSION          what that version changed
 *   /interregnum/ddl/mdl/JOB                the version that all nodes must reach for the job
 *   in etcd
 *   /interregnum/node/NODE                  a live node, bound to its session
 *   /interregnum/ddl/published              the version that nodes should load
 *   /interregnum/ddl/synced/JOB/VERSION/NODE  the node is there, and nothing on it is behind
 * </pre>
 */
public final class SchemaKeys {
  public static final String VERSION = "/interregnum/meta/schema-version";
  public static final String DIFFS = "/interregnum/meta/diff/";
  public static final String MDL_ROWS = "/interregnum/ddl/mdl/";
  public static final String NODES = "/interregnum/node/";
  public static final String PUBLISHED = "/interregnum/ddl/published";
  public static final String SYNCED = "/interregnum/ddl/synced/";

  private SchemaKeys() {}

  /** Where a version's diff stands. */
  public static String diff(long version) {
    return DIFFS + padded(version);
  }

  /** Where a job's metadata lock row stands. */
  public static String mdlRow(long jobId) {
    return MDL_ROWS + padded(jobId);
  }

  /** Where a node's key stands. */
  public static String node(String nodeId) {
    return NODES + nodeId;
  }

  /** Prefix of the reports about a job. */
  public static String synced(long jobId) {
    return SYNCED + padded(jobId) + "/";
  }

  /** Where a node's report about a job and version stands. */
  public static String synced(long jobId, long version, String nodeId) {
    return synced(jobId) + padded(version) + "/" + nodeId;
  }

  /** A number as part of a key: keys sort as numbers do. */
  public static String padded(long number) {
    return String.format(Locale.ROOT, "%012d", number);
  }
}
