package interregnum.owner;

import interregnum.store.Fence;

/**
 * One reign: the winner's candidate key and its create revision, which grows from owner to owner.
 *
 * @param role the election's name, {@code ddl} or {@code autoid}
 * @param nodeId who reigns
 * @param electionKey the candidate key in etcd
 * @param number the key's create revision: the fencing token
 */
public record Term(String role, String nodeId, String electionKey, long number) {

  /** The compare that every write of this reign carries. */
  public Fence fence() {
    return new Fence(electionKey, number);
  }
}
