package interregnum.owner;

import java.time.Duration;

/**
 * One node's candidacy for one role.
 *
 * @param address where the node serves the role, {@code host:port}. The node listens there before
 *     it stands for election: that is what shows that an older candidate with this id and address
 *     is dead
 * @param ttl the lease's time to live
 */
public record OwnerConfig(
    OwnerRole role, String nodeId, String address, Duration ttl, OwnerModes modes) {

  public OwnerConfig {
    if (nodeId.isEmpty() || nodeId.contains("@")) {
      throw new IllegalArgumentException("node id '" + nodeId + "': empty or with an @");
    }
  }

  /** The candidate key's value. */
  String value() {
    return nodeId + "@" + address;
  }
}
