package interregnum.coordinator;

import interregnum.etcd.Mirror;
import interregnum.failpoint.FailpointException;
import interregnum.runtime.Mutex;
import interregnum.runtime.Signal;
import interregnum.runtime.Task;
import interregnum.store.StoreTxn;
import interregnum.store.StoreUnavailableException;
import interregnum.table.Keys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the queue's jobs to workers during one reign. A job waits while an earlier one, running or
 * not, is about one of its tables; jobs on different tables run side by side.
 */
final class Scheduler {
  private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);
  private static final int WORKERS_MAX = 10;
  private static final Duration TICK = Duration.ofSeconds(2);
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final Duration JOIN_LIMIT = Duration.ofSeconds(30);

  private final Reign reign;
  private final FinishedJobs finished;
  private final SyncTracker sync;
  private final Mirror notify;
  private final Mutex mutex;

  /** Tasks by job; guarded by {@link #mutex}. */
  private final Map<Long, Task> workers = new TreeMap<>();

  private Task task;

  Scheduler(Reign reign, FinishedJobs finished) {
    this.reign = reign;
    this.finished = finished;
    this.sync = new SyncTracker(reign.node());
    this.mutex = reign.node().runtime().mutex("scheduler");
    Signal work = reign.work();
    this.notify =
        new Mirror(reign.node().runtime(), reign.node().etcd(), JobKeys.NOTIFY, work::raise);
  }

  void start() {
    sync.start();
    notify.start();
    task = reign.node().runtime().spawn("ddl-scheduler-" + reign.owner(), this::run);
  }

  /** Ends all work and waits until it has ended. */
  void stop() throws InterruptedException {
    reign.depose();
    List<Task> tasks = new ArrayList<>(List.of(task));
    tasks.addAll(running().values());
    tasks.forEach(Task::cancel);
    for (Task each : tasks) {
      if (!each.join(JOIN_LIMIT)) {
        throw new IllegalStateException("task " + each.name() + " of a past reign does not end");
      }
    }
    notify.close();
    sync.close();
  }

  /** The jobs that workers have now. */
  Map<Long, Task> running() {
    mutex.lock();
    try {
      workers.values().removeIf(Task::isDone);
      return new TreeMap<>(workers);
    } finally {
      mutex.unlock();
    }
  }

  private void run() throws InterruptedException {
    boolean sealed = false;
    while (!reign.isDeposed()) {
      long seen = reign.work().count();
      try {
        sealed = sealed || new SchemaVersions(reign).seal();
        if (sealed) {
          dispatch();
        }
      } catch (StoreUnavailableException | FailpointException e) {
        LOG.warn("ddl-scheduling-failed owner={} cause={}", reign.owner(), e.getMessage());
        reign.node().runtime().sleep(PAUSE);
        continue;
      }
      reign.work().await(seen, TICK);
    }
  }

  private void dispatch() throws InterruptedException {
    Set<Long> running = running().keySet();
    StoreTxn txn = reign.node().store().begin();
    List<StoreTxn.Entry> rows = txn.scan(JobKeys.JOBS, Keys.end(JobKeys.JOBS), 0);
    reign.node().failpoints().hit("afterLoadJobs", reign.node().label());
    Set<String> taken = new TreeSet<>();
    int free = WORKERS_MAX - running.size();
    for (StoreTxn.Entry row : rows) {
      DdlJob job = DdlJob.read(row.value());
      boolean waits = job.tableKeys().stream().anyMatch(taken::contains);
      taken.addAll(job.tableKeys());
      if (!waits && free > 0 && !running.contains(job.id()) && !job.progress().paused()) {
        free--;
        employ(job.id(), row.value());
      }
    }
  }

  private void employ(long jobId, String row) {
    JobWorker worker = new JobWorker(reign, sync, finished, row);
    mutex.lock();
    try {
      workers.put(
          jobId,
          reign
              .node()
              .runtime()
              .spawn("ddl-job-" + jobId + "-" + reign.owner(), () -> work(jobId, worker)));
    } finally {
      mutex.unlock();
    }
  }

  private void work(long jobId, JobWorker worker) throws InterruptedException {
    try {
      worker.run();
    } finally {
      mutex.lock();
      try {
        workers.remove(jobId);
      } finally {
        mutex.unlock();
      }
      reign.work().raise();
    }
  }
}
