package interregnum.server;

import interregnum.etcd.Etcd;
import interregnum.etcd.KeyRange;
import interregnum.etcd.KeyValue;
import interregnum.failpoint.Failpoints;
import interregnum.owner.Session;
import interregnum.runtime.Outcome;
import interregnum.runtime.Runtime;
import interregnum.runtime.Task;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the node's entry among the live servers, bound to a lease, so that it goes when the node
 * does. Any task may read the entries; closing removes this node's.
 */
final class Registration implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Registration.class);
  private static final String PREFIX = "/interregnum/server/";
  private static final Duration TICK = Duration.ofMillis(250);
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(3);

  private final Runtime runtime;
  private final Etcd etcd;
  private final Failpoints failpoints;
  private final Session.Owner owner;
  private final String entry;
  private Task task;

  /** A registration of the node as {@code entry}, a JSON object. */
  Registration(
      Runtime runtime, Etcd etcd, Failpoints failpoints, Session.Owner owner, String entry) {
    this.runtime = runtime;
    this.etcd = etcd;
    this.failpoints = failpoints;
    this.owner = owner;
    this.entry = entry;
  }

  void start() {
    task = runtime.spawn("registration", this::run);
  }

  /** The entries of all live servers, by node. */
  Outcome<List<String>> servers() throws InterruptedException {
    return etcd.range(KeyRange.prefix(PREFIX), LIMIT)
        .map(read -> read.value().stream().map(KeyValue::value).toList());
  }

  private void run() throws InterruptedException {
    while (true) {
      Outcome<Session> opened = Session.open(runtime, etcd, failpoints, owner);
      if (opened instanceof Outcome.Done<Session> done) {
        hold(done.value());
      }
      runtime.sleep(TICK);
    }
  }

  private void hold(Session session) throws InterruptedException {
    try {
      Outcome<Long> put =
          etcd.put(PREFIX + owner.nodeId(), entry, session.leaseId(), LIMIT);
      if (!(put instanceof Outcome.Done<Long>)) {
        LOG.warn("registration-failed node={} outcome={}", owner.nodeId(), put);
        return;
      }
      while (session.holds()) {
        runtime.sleep(TICK);
      }
    } finally {
      session.end();
    }
  }

  @Override
  public void close() {
    if (task == null) {
      return;
    }
    task.cancel();
    try {
      task.join(CLOSE_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
