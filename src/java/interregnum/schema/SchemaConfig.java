package interregnum.schema;

import java.time.Duration;

/**
 * How a node keeps up with the schema.
 *
 * @param lease how long a node may go on with what it knows after it last looked; it looks at least
 *     twice in that time
 * @param sessionTtl the time to live of the node's key
 * @param diffsMax how many versions a node catches up with diff by diff; beyond, it loads all
 * @param info what the node's key says, as JSON
 */
public record SchemaConfig(
    Duration lease, Duration sessionTtl, int diffsMax, String info, SchemaModes modes) {

  /** The usual times for a node with this key and these modes. */
  public static SchemaConfig of(String info, Duration sessionTtl, SchemaModes modes) {
    return new SchemaConfig(Duration.ofSeconds(5), sessionTtl, 1_000, info, modes);
  }
}
