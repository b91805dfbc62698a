package interregnum.owner;

import interregnum.etcd.Etcd;
import interregnum.etcd.Read;
import interregnum.etcd.TxnReply;
import interregnum.etcd.Watch;
import interregnum.etcd.WatchEvent;
import interregnum.failpoint.FailpointException;
import interregnum.failpoint.Failpoints;
import interregnum.runtime.Outcome;
import interregnum.runtime.Runtime;
import interregnum.runtime.Task;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node's part in the election of one role: stands for election, reigns, retires, stands again.
 *
 * <pre>
 *   SESSION -> CAMPAIGN -> (hand-over) -> BECOME -> REIGN -> RETIRE -> CAMPAIGN
 *      ^                                                |
 *      +------------------ session lost ----------------+
 * </pre>
 *
 * <p>One task does all this and calls the listener. Any task may ask {@link #isOwner} and {@link
 * #term}, resign, or close. A throwable in the task, the listener's included, goes to the runtime's
 * failure handler: a node never just stops standing for election.
 */
public final class Ownership implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Ownership.class);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration RESIGN_LIMIT = Duration.ofSeconds(5);
  private static final Duration RESIGN_TICK = Duration.ofMillis(10);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

  private final Runtime runtime;
  private final Etcd etcd;
  private final Failpoints failpoints;
  private final OwnerConfig config;
  private final OwnerListener listener;
  private final String[] labels;
  private volatile Reign reign;
  private volatile boolean closing;
  private Task task;

  public Ownership(
      Runtime runtime,
      Etcd etcd,
      Failpoints failpoints,
      OwnerConfig config,
      OwnerListener listener) {
    this.runtime = runtime;
    this.etcd = etcd;
    this.failpoints = failpoints;
    this.config = config;
    this.listener = listener;
    this.labels = new String[] {"role=" + config.role().id(), "node=" + config.nodeId()};
  }

  /** A term as this node holds it. */
  private static final class Reign {
    private final Term term;
    private final Candidacy candidacy;
    private volatile boolean givenUp;

    Reign(Term term, Candidacy candidacy) {
      this.term = term;
      this.candidacy = candidacy;
    }
  }

  /** Starts to stand for election; once. */
  public void start() {
    task = runtime.spawn("owner-" + config.role().id() + "-" + config.nodeId(), this::run);
  }

  /** Whether the node believes that it is the owner: a hint for routing, proof of nothing. */
  public boolean isOwner() {
    Reign current = reign;
    return current != null && !current.givenUp;
  }

  /** The current term, if its lease certainly still exists on this node's monotonic clock. */
  public Optional<Term> term() {
    Reign current = reign;
    return current != null && !current.givenUp && current.candidacy.alive()
        ? Optional.of(current.term)
        : Optional.empty();
  }

  /**
   * Gives up the current reign and stands again, behind the other candidates.
   *
   * @return whether there was a reign to give up; unknown if its end could not be awaited
   */
  public Outcome<Boolean> resign() throws InterruptedException {
    Reign current = reign;
    if (current == null) {
      return Outcome.done(false);
    }
    LOG.info("owner-resigns {}", describe(current.term));
    if (config.modes().resign() == OwnerModes.Resign.RETIRE_FIRST) {
      current.givenUp = true;
    }
    Outcome<TxnReply> deleted = current.candidacy.withdraw(current.term);
    current.givenUp |= !(deleted instanceof Outcome.Done<?>);
    long start = runtime.nanoTime();
    while (reign == current) {
      if (runtime.nanoTime() - start > RESIGN_LIMIT.toNanos()) {
        return Outcome.unknown("the owner has not retired in time");
      }
      runtime.sleep(RESIGN_TICK);
    }
    return Outcome.done(true);
  }

  /** Retires, revokes the lease, and stops standing for election. */
  @Override
  public void close() {
    closing = true;
    if (task == null) {
      return;
    }
    task.cancel();
    try {
      if (!task.join(CLOSE_LIMIT)) {
        LOG.error("owner-close-timeout role={} node={}", config.role().id(), config.nodeId());
      }
    } catch (InterruptedException e) {
      // The caller's own task is being cancelled; the ownership's task ends by itself.
      return;
    }
  }

  private void run() throws InterruptedException {
    Session.Owner owner =
        new Session.Owner(config.role().id(), config.nodeId(), config.ttl());
    while (!closing) {
      Outcome<Session> opened = Session.open(runtime, etcd, failpoints, owner);
      if (!(opened instanceof Outcome.Done<Session> done)) {
        LOG.warn("owner-session-failed role={} outcome={}", config.role().id(), opened);
        runtime.sleep(PAUSE);
        continue;
      }
      Session session = done.value();
      try {
        standUntilLost(new Candidacy(runtime, etcd, config, session));
      } finally {
        session.end();
      }
    }
  }

  private void standUntilLost(Candidacy candidacy) throws InterruptedException {
    while (!closing && candidacy.alive()) {
      Optional<Candidacy.Win> win = candidacy.win();
      if (win.isEmpty()) {
        return;
      }
      if (!reign(candidacy, win.get())) {
        return;
      }
    }
  }

  /** Reigns for one term; false if the session must end. */
  private boolean reign(Candidacy candidacy, Candidacy.Win win) throws InterruptedException {
    Reign next = new Reign(win.term(), candidacy);
    boolean begun = false;
    try {
      failpoints.hit("afterCampaignWin", labels);
      if (!config.role().answersFromMemory()
          || config.modes().handOver() == OwnerModes.HandOver.NONE
          || candidacy.awaitHandOver(win.term())) {
        begun = true;
        become(next);
        watch(next, win.revision());
      }
    } catch (FailpointException e) {
      LOG.warn("owner-term-aborted {} cause={}", describe(win.term()), e.getMessage());
    } finally {
      if (begun) {
        retire(next);
      }
    }
    return candidacy.leave(win.term());
  }

  private void become(Reign next) throws InterruptedException {
    LOG.info("owner-elected {}", describe(next.term));
    if (config.modes().become() == OwnerModes.Become.FLAG_FIRST) {
      failpoints.hit("beforeSetOwnerFlag", labels);
      reign = next;
    }
    failpoints.hit("insideOnBecome", labels);
    listener.onBecomeOwner(next.term);
    if (config.modes().become() == OwnerModes.Become.LISTENER_FIRST) {
      failpoints.hit("beforeSetOwnerFlag", labels);
      reign = next;
    }
    LOG.info("owner-reigns {}", describe(next.term));
  }

  /** Returns when the term is over: key deleted, session lost, or given up. */
  private void watch(Reign current, long revision) throws InterruptedException {
    failpoints.hit("betweenVerifyAndWatch", labels);
    boolean fromNow = config.modes().watch() == OwnerModes.Watch.FROM_NOW;
    long from = fromNow ? 0 : revision + 1;
    while (from >= 0) {
      try (Watch watch = current.candidacy.watch(from)) {
        if (keyDeleted(current, watch)) {
          return;
        }
      }
      from = revisionToWatchAgain(current);
    }
  }

  /** True if the term is over, false if the watch ended and nothing is known. */
  private boolean keyDeleted(Reign current, Watch watch) throws InterruptedException {
    while (current.candidacy.alive() && !current.givenUp) {
      Optional<WatchEvent> event = watch.poll(current.candidacy.tick());
      if (event.isPresent() && event.get() instanceof WatchEvent.Ended) {
        return false;
      }
      if (event.isPresent() && event.get() instanceof WatchEvent.Deleted && !isDropped()) {
        failpoints.hit("onWatchDelete", labels);
        return true;
      }
    }
    return true;
  }

  private boolean isDropped() throws InterruptedException {
    try {
      failpoints.hit("loseWatchEvents", labels);
      return false;
    } catch (FailpointException e) {
      return true;
    }
  }

  /** The revision after a read that found the term's key, or -1 if the term is over. */
  private long revisionToWatchAgain(Reign current) throws InterruptedException {
    while (current.candidacy.alive() && !current.givenUp) {
      if (current.candidacy.stands(current.term) instanceof Outcome.Done<Read<Boolean>> done) {
        return done.value().value() ? done.value().revision() + 1 : -1;
      }
      runtime.sleep(PAUSE);
    }
    return -1;
  }

  private void retire(Reign old) throws InterruptedException {
    hitOnRetire("beforeClearOwnerFlag");
    reign = null;
    LOG.info("owner-retires {}", describe(old.term));
    hitOnRetire("insideOnRetire");
    listener.onRetireOwner(old.term);
  }

  /** An {@code error} has nothing to abort here: the reign ends either way. */
  private void hitOnRetire(String name) throws InterruptedException {
    try {
      failpoints.hit(name, labels);
    } catch (FailpointException e) {
      LOG.warn("owner-retire-continues cause={}", e.getMessage());
    }
  }

  private static String describe(Term term) {
    return "role=" + term.role() + " node=" + term.nodeId() + " term=" + term.number();
  }
}
