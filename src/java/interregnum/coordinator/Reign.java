package interregnum.coordinator;

import interregnum.allocator.IdService;
import interregnum.owner.Term;
import interregnum.runtime.Mutex;
import interregnum.runtime.Signal;
import interregnum.schema.NodeContext;
import interregnum.store.StoreTxn;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * What the tasks of one term as DDL owner share: whose term it is, what it fences its writes with,
 * and the turn to commit a schema version.
 */
final class Reign {
  private static final Duration TURN_TICK = Duration.ofSeconds(1);

  private final NodeContext node;
  private final CoordinatorModes modes;
  private final IdService ids;
  private final Term term;
  private final BooleanSupplier ownerFlag;
  private final Signal work;
  private final Mutex turnMutex;

  /** Whether a task has the turn; guarded by {@link #turnMutex}. */
  private boolean turnTaken;

  private volatile boolean deposed;

  Reign(Coordinator.Parts parts, Term term, BooleanSupplier ownerFlag) {
    this.node = parts.node();
    this.modes = parts.modes();
    this.ids = parts.ids();
    this.term = term;
    this.ownerFlag = ownerFlag;
    this.work = new Signal(node.runtime(), "ddl-work");
    this.turnMutex = node.runtime().mutex("version-turn");
  }

  NodeContext node() {
    return node;
  }

  CoordinatorModes modes() {
    return modes;
  }

  IdService ids() {
    return ids;
  }

  Term term() {
    return term;
  }

  /** Node and term, as rows name their writer. */
  String owner() {
    return node.nodeId() + "@" + term.number();
  }

  /** Whether the node's own flag says that it is the owner. */
  boolean isFlagSet() {
    return ownerFlag.getAsBoolean();
  }

  /** Raised when there may be a job to look at. */
  Signal work() {
    return work;
  }

  /** Makes a write of this reign impossible after its end. */
  void fence(StoreTxn txn) {
    if (modes.fencing() == CoordinatorModes.Fencing.TERM) {
      txn.require(term.fence());
    }
  }

  /** Notes that a fence did not hold: the reign is over, whatever the flag says. */
  void depose() {
    deposed = true;
    work.raise();
  }

  boolean isDeposed() {
    return deposed;
  }

  /**
   * Waits for the turn to take a schema version and commit it, so that steps of this node do not
   * conflict with each other.
   */
  void takeTurn() throws InterruptedException {
    turnMutex.lock();
    try {
      while (turnTaken) {
        turnMutex.await(TURN_TICK);
      }
      turnTaken = true;
    } finally {
      turnMutex.unlock();
    }
  }

  void releaseTurn() {
    turnMutex.lock();
    try {
      turnTaken = false;
      turnMutex.signalAll();
    } finally {
      turnMutex.unlock();
    }
  }
}
