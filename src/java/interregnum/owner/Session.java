package interregnum.owner;

import interregnum.etcd.Etcd;
import interregnum.failpoint.FailpointException;
import interregnum.failpoint.Failpoints;
import interregnum.runtime.Outcome;
import interregnum.runtime.Runtime;
import interregnum.runtime.Task;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lease and the task that renews it.
 *
 * <p>The session keeps a deadline of its own on the monotonic clock: the time before the last
 * successful renewal was sent, plus the time to live, less an allowance for clocks that run at
 * different speeds. etcd cannot let the lease expire before that. Once the deadline has passed, or
 * etcd has said that the lease is gone, the session is lost for good. Any task may ask.
 */
public final class Session {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);
  private static final Duration REVOKE_LIMIT = Duration.ofSeconds(1);
  private static final int DRIFT_SHARE = 20;

  private final Runtime runtime;
  private final Etcd etcd;
  private final Failpoints failpoints;
  private final Owner owner;
  private final long leaseId;
  private final Task renewal;
  private volatile long deadlineNanos;
  private volatile boolean lost;

  private Session(Runtime runtime, Etcd etcd, Failpoints failpoints, Owner owner, Grant grant) {
    this.runtime = runtime;
    this.etcd = etcd;
    this.failpoints = failpoints;
    this.owner = owner;
    this.leaseId = grant.leaseId;
    this.deadlineNanos = deadline(grant.sentNanos, owner.ttl);
    this.renewal = runtime.spawn("session-" + owner.name + "-" + owner.nodeId, this::renew);
  }

  /**
   * Whose session it is.
   *
   * @param name what the session is for, in logs and failpoint labels
   */
  public record Owner(String name, String nodeId, Duration ttl) {}

  private record Grant(long leaseId, long sentNanos) {}

  /** Opens a session, if etcd grants a lease within its time to live. */
  public static Outcome<Session> open(
      Runtime runtime, Etcd etcd, Failpoints failpoints, Owner owner) throws InterruptedException {
    long sent = runtime.nanoTime();
    return etcd.grantLease(owner.ttl, owner.ttl)
        .map(id -> new Session(runtime, etcd, failpoints, owner, new Grant(id, sent)));
  }

  /** The lease to bind keys to. */
  public long leaseId() {
    return leaseId;
  }

  /** Whether the lease certainly still exists. */
  public boolean holds() {
    return !lost && runtime.nanoTime() - deadlineNanos < 0;
  }

  /** Whether the loss of the lease has been noticed; {@link #holds} knows earlier. */
  public boolean isLost() {
    return lost;
  }

  /** How long the lease certainly exists from now on, not less than zero. */
  public Duration left() {
    return lost
        ? Duration.ZERO
        : Duration.ofNanos(Math.max(0, deadlineNanos - runtime.nanoTime()));
  }

  private static long deadline(long sentNanos, Duration ttl) {
    return sentNanos + ttl.minus(ttl.dividedBy(DRIFT_SHARE)).toNanos();
  }

  private void renew() throws InterruptedException {
    Duration pause = owner.ttl.dividedBy(3);
    while (true) {
      Duration left = left();
      runtime.sleep(pause.compareTo(left) < 0 ? pause : left);
      if (lost || !renewOnce()) {
        return;
      }
      boolean fresh = left().compareTo(owner.ttl.dividedBy(2)) > 0;
      pause = owner.ttl.dividedBy(fresh ? 3 : 10);
    }
  }

  /** False if the session is lost. */
  private boolean renewOnce() throws InterruptedException {
    try {
      failpoints.hit("dropKeepAlive", "role=" + owner.name, "node=" + owner.nodeId);
    } catch (FailpointException e) {
      return holds() || lose("no renewal within the time to live");
    }
    long sent = runtime.nanoTime();
    Duration left = left();
    if (left.isZero()) {
      return lose("no renewal within the time to live");
    }
    Duration timeout = owner.ttl.dividedBy(3);
    Outcome<Duration> outcome =
        etcd.keepAlive(leaseId, timeout.compareTo(left) < 0 ? timeout : left);
    if (!(outcome instanceof Outcome.Done<Duration> done)) {
      return holds() || lose("renewal failed: " + outcome);
    }
    if (done.value().isZero()) {
      return lose("etcd no longer knows the lease");
    }
    if (!holds()) {
      return lose("the renewal came too late");
    }
    Duration ttl = done.value().compareTo(owner.ttl) < 0 ? done.value() : owner.ttl;
    deadlineNanos = deadline(sent, ttl);
    return true;
  }

  private boolean lose(String reason) {
    lost = true;
    LOG.warn("session-lost name={} node={} reason={}", owner.name, owner.nodeId, reason);
    return false;
  }

  /** Ends the session and revokes the lease; if etcd does not answer, the lease runs out. */
  public void end() throws InterruptedException {
    lost = true;
    renewal.cancel();
    etcd.revokeLease(leaseId, REVOKE_LIMIT);
  }
}
