package interregnum.coordinator;

import interregnum.etcd.Mirror;
import interregnum.etcd.TxnRequest;
import interregnum.etcd.TxnRequest.Write;
import interregnum.runtime.Signal;
import interregnum.schema.NodeContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Carries the news of ended jobs from the owner to the nodes whose clients wait for them. The
 * history is the truth; this only makes it known quickly. Any task may use it.
 */
final class FinishedJobs {
  private static final Duration CALL_LIMIT = Duration.ofSeconds(1);
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final int KEPT = 64;
  private static final int DELETED_AT_ONCE = 100;

  private final NodeContext node;
  private final Signal changed;
  private final Mirror mirror;

  FinishedJobs(NodeContext node) {
    this.node = node;
    this.changed = new Signal(node.runtime(), "finished-jobs");
    this.mirror = new Mirror(node.runtime(), node.etcd(), JobKeys.FINISHED, changed::raise);
  }

  void start() {
    mirror.start();
  }

  void close() {
    mirror.close();
  }

  /** Tells every node, and takes the oldest news away. */
  void announce(DdlJob job) throws InterruptedException {
    List<Write> writes = new ArrayList<>();
    List<String> known = List.copyOf(mirror.entries().keySet());
    int old = Math.min(DELETED_AT_ONCE, known.size() - KEPT);
    for (int i = 0; i < old; i++) {
      writes.add(new Write.Delete(known.get(i)));
    }
    writes.add(new Write.Put(JobKeys.finished(job.id()), job.json(), 0));
    node.etcd().txn(new TxnRequest(List.of(), writes), CALL_LIMIT);
  }

  /** The job as it ended, or empty if that is not known after a while. */
  Optional<DdlJob> await(long jobId) throws InterruptedException {
    String key = JobKeys.finished(jobId);
    long deadline = node.runtime().nanoTime() + TICK.toNanos();
    while (true) {
      long seen = changed.count();
      if (mirror.entries().containsKey(key)) {
        return Optional.of(DdlJob.read(mirror.entries().get(key).value()));
      }
      long left = deadline - node.runtime().nanoTime();
      if (left <= 0) {
        return node.store().begin().get(JobKeys.history(jobId)).map(DdlJob::read);
      }
      changed.await(seen, Duration.ofNanos(left));
    }
  }
}
