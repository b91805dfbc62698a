package interregnum.schema;

import interregnum.failpoint.FailpointException;
import interregnum.runtime.Outcome;
import interregnum.runtime.Signal;
import interregnum.runtime.Task;
import interregnum.schema.SchemaModes.Report;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the owner, job by job, that this node has loaded the job's version and that no transaction
 * here uses the job's tables at a lower one. Runs after each reload and after each release of
 * tables that held something up. A report that did not get through is repeated.
 */
final class JobReporter {
  private static final Logger LOG = LoggerFactory.getLogger(JobReporter.class);
  private static final Duration CALL_LIMIT = Duration.ofSeconds(1);
  private static final Duration RETRY = Duration.ofMillis(100);
  private static final Duration IDLE = Duration.ofMinutes(1);

  private final NodeContext context;
  private final SchemaConfig config;
  private final TablePins pins;
  private final Signal wake;
  private volatile Loaded loaded = new Loaded(0, List.of());
  private volatile boolean pending;
  private Task task;

  /** Highest versions reported, by job; used by the reporter's task alone, as is the next field. */
  private Map<Long, Long> reported = new TreeMap<>();

  private long checkedVersion = -1;

  /** What the last reload found. */
  private record Loaded(long version, List<MdlRow> rows) {}

  JobReporter(NodeContext context, SchemaConfig config, TablePins pins, Signal wake) {
    this.context = context;
    this.config = config;
    this.pins = pins;
    this.wake = wake;
  }

  void start() {
    task = context.runtime().spawn("job-reporter-" + context.nodeId(), this::run);
  }

  void close() {
    if (task != null) {
      task.cancel();
    }
  }

  /** Called by the loader after each reload. */
  void loaded(long version, List<MdlRow> rows) {
    loaded = new Loaded(version, rows);
    wake.raise();
  }

  /** Called when a transaction has let go of its tables. */
  void released() {
    if (pending) {
      wake.raise();
    }
  }

  private void run() throws InterruptedException {
    while (true) {
      long seen = wake.count();
      Loaded now = loaded;
      boolean skips = config.modes().report() == Report.IF_NEWER;
      boolean failed = false;
      if (!skips || pending || now.version > checkedVersion) {
        // Set before the look at the pins, so that a release right after it wakes this task.
        pending = true;
        failed = !reportAll(now);
        checkedVersion = now.version;
      }
      wake.await(seen, failed ? RETRY : IDLE);
    }
  }

  /** False if a report has to be repeated. */
  private boolean reportAll(Loaded now) throws InterruptedException {
    Map<Long, Long> next = new TreeMap<>();
    boolean blocked = false;
    boolean failed = false;
    for (MdlRow row : now.rows) {
      if (reported.getOrDefault(row.jobId(), -1L) >= row.version()) {
        next.put(row.jobId(), reported.get(row.jobId()));
      } else if (row.version() > now.version || pins.isBlocked(row.tableIds(), row.version())) {
        blocked = true;
      } else if (report(row)) {
        next.put(row.jobId(), row.version());
      } else {
        failed = true;
      }
    }
    reported = next;
    pending = blocked || failed;
    return !failed;
  }

  private boolean report(MdlRow row) throws InterruptedException {
    String[] labels = {context.label(), "job=" + row.jobId()};
    try {
      context.failpoints().hit("mdlCheckSkip", labels);
    } catch (FailpointException e) {
      return true;
    }
    try {
      context.failpoints().hit("reportVersionError", labels);
    } catch (FailpointException e) {
      return false;
    }
    String key = SchemaKeys.synced(row.jobId(), row.version(), context.nodeId());
    Outcome<Long> outcome = context.etcd().put(key, "", 0, CALL_LIMIT);
    if (!(outcome instanceof Outcome.Done<Long>)) {
      LOG.warn("report-failed node={} job={} {}", context.nodeId(), row.jobId(), outcome);
      return false;
    }
    return true;
  }
}
