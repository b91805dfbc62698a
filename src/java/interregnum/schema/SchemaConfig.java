package interregnum.schema;

import java.time.Duration;

/**
 * How a node keeps up with the schema.
 *
 * @param lease how long a node may go on with what it knows after it last looked; it looks at least
 *     twice in that time
 * @param sessionTtl the time to live of the node's key
 * @param diffsMax how many versions a node catches up with diff by diff; beyond, it loads all
 */
public record SchemaConfig(
    Duration lease, Duration sessionTtl, int diffsMax, SchemaModes modes) {

  /** The usual lease, with this time to live and these modes. */
  public static SchemaConfig of(Duration sessionTtl, SchemaModes modes) {
    return new SchemaConfig(Duration.ofSeconds(5), sessionTtl, 1_000, modes);
  }
}
