package interregnum.schema;

import interregnum.etcd.Etcd;
import interregnum.failpoint.Failpoints;
import interregnum.runtime.Runtime;
import interregnum.store.Store;

/** What a node's schema services run on. */
public record NodeContext(
    String nodeId, Runtime runtime, Etcd etcd, Store store, Failpoints failpoints) {

  /** The failpoint label that names this node. */
  public String label() {
    return "node=" + nodeId;
  }
}
