package interregnum.schema;

import interregnum.etcd.TxnReply;
import interregnum.etcd.TxnRequest;
import interregnum.etcd.TxnRequest.Compare;
import interregnum.etcd.TxnRequest.Write;
import interregnum.owner.Session;
import interregnum.runtime.Outcome;
import interregnum.runtime.Task;
import interregnum.store.Fence;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the node's key alive. While the key stands, the owner waits for this node at every schema
 * version; once it is gone, the owner does not, so the node must not use what it knows: reads ask
 * {@link Membership#holds}, and every commit carries {@link Membership#fence}.
 */
final class NodeSession {
  private static final Logger LOG = LoggerFactory.getLogger(NodeSession.class);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration CALL_LIMIT = Duration.ofSeconds(1);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  private final NodeContext context;
  private final SchemaConfig config;
  private final Join onJoin;
  private volatile Optional<Membership> membership = Optional.empty();
  private Task task;

  /** Brings the node up to date when its key stands anew. */
  interface Join {
    /** False if it has not come up to date within the limit. */
    boolean catchUp(Duration limit) throws InterruptedException;
  }

  NodeSession(NodeContext context, SchemaConfig config, Join onJoin) {
    this.context = context;
    this.config = config;
    this.onJoin = onJoin;
  }

  /** One life of the node's key. */
  record Membership(Session session, Fence fence) {

    /** Whether the key certainly still stands. */
    boolean holds() {
      return session.holds();
    }
  }

  /**
   * @param info what the key says, as JSON
   */
  void start(String info) {
    task = context.runtime().spawn("node-session-" + context.nodeId(), () -> run(info));
  }

  /** The current life of the key, or the last one; the node has caught up in it. */
  Optional<Membership> membership() {
    return membership;
  }

  /** Deletes the key. */
  void close() throws InterruptedException {
    if (task != null) {
      task.cancel();
      task.join(CLOSE_LIMIT);
    }
  }

  private void run(String info) throws InterruptedException {
    Session.Owner owner = new Session.Owner("node", context.nodeId(), config.sessionTtl());
    while (true) {
      Outcome<Session> opened =
          Session.open(context.runtime(), context.etcd(), context.failpoints(), owner);
      if (opened instanceof Outcome.Done<Session> done) {
        try {
          live(done.value(), info);
        } finally {
          done.value().end();
        }
      }
      context.runtime().sleep(PAUSE);
    }
  }

  private void live(Session session, String info) throws InterruptedException {
    Optional<Fence> fence = register(session, info);
    if (fence.isEmpty()) {
      return;
    }
    boolean caughtUp = false;
    while (session.holds() && !caughtUp) {
      caughtUp = onJoin.catchUp(session.left());
    }
    membership = Optional.of(new Membership(session, fence.get()));
    LOG.info("node-joined node={} session={}", context.nodeId(), fence.get().createRevision());
    while (session.holds()) {
      context.runtime().sleep(session.left());
    }
    LOG.warn("node-left node={} session={}", context.nodeId(), fence.get().createRevision());
  }

  /**
   * Creates the key; one of an earlier life is deleted first, so that its fence no longer holds.
   */
  private Optional<Fence> register(Session session, String info)
      throws InterruptedException {
    String key = SchemaKeys.node(context.nodeId());
    TxnRequest delete = new TxnRequest(List.of(), List.of(new Write.Delete(key)));
    TxnRequest create =
        new TxnRequest(
            List.of(new Compare.CreateRevisionIs(key, 0)),
            List.of(new Write.Put(key, info, session.leaseId())));
    if (!(context.etcd().txn(delete, CALL_LIMIT) instanceof Outcome.Done<?>)) {
      return Optional.empty();
    }
    if (context.etcd().txn(create, CALL_LIMIT) instanceof Outcome.Done<TxnReply> done) {
      TxnReply reply = done.value();
      return reply.succeeded() ? Optional.of(new Fence(key, reply.revision())) : Optional.empty();
    }
    return Optional.empty();
  }
}
