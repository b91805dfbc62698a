package interregnum.coordinator;

import interregnum.etcd.KeyRange;
import interregnum.etcd.KeyValue;
import interregnum.etcd.Mirror;
import interregnum.etcd.Read;
import interregnum.etcd.TxnReply;
import interregnum.etcd.TxnRequest;
import interregnum.etcd.TxnRequest.Compare;
import interregnum.etcd.TxnRequest.Write;
import interregnum.runtime.Outcome;
import interregnum.runtime.Signal;
import interregnum.schema.NodeContext;
import interregnum.schema.SchemaKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes schema versions and waits until every live node has reported one. A node is live while
 * its key stands; a node whose key is gone cannot commit with what it knew.
 */
final class SyncTracker {
  private static final Logger LOG = LoggerFactory.getLogger(SyncTracker.class);
  private static final Duration CALL_LIMIT = Duration.ofSeconds(1);
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final int DELETED_AT_ONCE = 100;

  private final NodeContext node;
  private final Signal changed;
  private final Mirror reports;
  private final Mirror nodes;

  SyncTracker(NodeContext node) {
    this.node = node;
    this.changed = new Signal(node.runtime(), "sync");
    this.reports = new Mirror(node.runtime(), node.etcd(), SchemaKeys.SYNCED, changed::raise);
    this.nodes = new Mirror(node.runtime(), node.etcd(), SchemaKeys.NODES, changed::raise);
  }

  void start() {
    reports.start();
    nodes.start();
  }

  void close() {
    reports.close();
    nodes.close();
  }

  /** Tells the nodes to load {@code version}, unless they have been told of a higher one. */
  void publish(long version) throws InterruptedException {
    while (true) {
      Outcome<Read<Optional<KeyValue>>> outcome =
          node.etcd().get(SchemaKeys.PUBLISHED, CALL_LIMIT);
      if (outcome instanceof Outcome.Done<Read<Optional<KeyValue>>> done) {
        Optional<KeyValue> stands = done.value().value();
        if (stands.map(kv -> Long.parseLong(kv.value())).orElse(0L) >= version
            || replace(stands, version)) {
          return;
        }
      }
      node.runtime().sleep(PAUSE);
    }
  }

  private boolean replace(Optional<KeyValue> stands, long version) throws InterruptedException {
    TxnRequest request =
        new TxnRequest(
            List.of(
                new Compare.ModRevisionIs(
                    SchemaKeys.PUBLISHED, stands.map(KeyValue::modRevision).orElse(0L))),
            List.of(new Write.Put(SchemaKeys.PUBLISHED, Long.toString(version), 0)));
    return node.etcd().txn(request, CALL_LIMIT) instanceof Outcome.Done<TxnReply> done
        && done.value().succeeded();
  }

  /** Waits until every live node has reported {@code version} of the job. */
  void awaitSynced(long jobId, long version) throws InterruptedException {
    while (true) {
      long seen = changed.count();
      List<String> behind = behind(jobId, version, nodes.entries().keySet());
      // The copy of the nodes may lag, so it only tells when to ask etcd itself.
      if (behind.isEmpty() && !nodes.entries().isEmpty() && confirm(jobId, version)) {
        return;
      }
      if (!changed.await(seen, TICK)) {
        LOG.info("ddl-waits-for-nodes job={} version={} behind={}", jobId, version, behind);
      }
    }
  }

  private boolean confirm(long jobId, long version) throws InterruptedException {
    Outcome<Read<List<KeyValue>>> outcome =
        node.etcd().range(KeyRange.prefix(SchemaKeys.NODES), CALL_LIMIT);
    if (outcome instanceof Outcome.Done<Read<List<KeyValue>>> done) {
      List<String> live = done.value().value().stream().map(KeyValue::key).toList();
      return behind(jobId, version, live).isEmpty();
    }
    return false;
  }

  private List<String> behind(long jobId, long version, Iterable<String> nodeKeys) {
    Map<String, KeyValue> reported = reports.entries();
    List<String> behind = new ArrayList<>();
    for (String nodeKey : nodeKeys) {
      String nodeId = nodeKey.substring(SchemaKeys.NODES.length());
      if (!reported.containsKey(SchemaKeys.synced(jobId, version, nodeId))) {
        behind.add(nodeId);
      }
    }
    return behind;
  }

  /** Deletes the reports about a job that has ended; some may be left behind. */
  void forget(long jobId) throws InterruptedException {
    List<Write> deletes = new ArrayList<>();
    for (String key : reports.entries().keySet()) {
      if (key.startsWith(SchemaKeys.synced(jobId)) && deletes.size() < DELETED_AT_ONCE) {
        deletes.add(new Write.Delete(key));
      }
    }
    if (!deletes.isEmpty()) {
      node.etcd().txn(new TxnRequest(List.of(), deletes), CALL_LIMIT);
    }
  }
}
