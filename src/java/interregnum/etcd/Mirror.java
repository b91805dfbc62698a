package interregnum.etcd;

import interregnum.runtime.Outcome;
import interregnum.runtime.Runtime;
import interregnum.runtime.Task;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A copy of the keys under a prefix, kept up to date by a watch, and read anew whenever the watch
 * ends. It may lag behind etcd; any task may look at it. Its own task calls {@code onChange} after
 * every change, which must not wait.
 */
public final class Mirror implements AutoCloseable {
  private static final Duration READ_LIMIT = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final Duration POLL = Duration.ofMinutes(1);

  private final Runtime runtime;
  private final Etcd etcd;
  private final String prefix;
  private final Runnable onChange;
  private volatile Map<String, KeyValue> entries = Map.of();
  private Task task;

  public Mirror(Runtime runtime, Etcd etcd, String prefix, Runnable onChange) {
    this.runtime = runtime;
    this.etcd = etcd;
    this.prefix = prefix;
    this.onChange = onChange;
  }

  /** Starts to follow the prefix; once. */
  public void start() {
    task = runtime.spawn("mirror-" + prefix, this::run);
  }

  /** The keys as last seen, in key order. */
  public Map<String, KeyValue> entries() {
    return entries;
  }

  private void run() throws InterruptedException {
    while (true) {
      Outcome<Read<List<KeyValue>>> outcome = etcd.range(KeyRange.prefix(prefix), READ_LIMIT);
      if (outcome instanceof Outcome.Done<Read<List<KeyValue>>> done) {
        TreeMap<String, KeyValue> next = new TreeMap<>();
        done.value().value().forEach(kv -> next.put(kv.key(), kv));
        publish(next);
        follow(next, done.value().revision() + 1);
      }
      runtime.sleep(PAUSE);
    }
  }

  private void follow(TreeMap<String, KeyValue> current, long fromRevision)
      throws InterruptedException {
    try (Watch watch = etcd.watch(prefix, fromRevision)) {
      while (true) {
        Optional<WatchEvent> event = watch.poll(POLL);
        while (event.isPresent()) {
          if (event.get() instanceof WatchEvent.Ended) {
            return;
          }
          apply(current, event.get());
          event = watch.poll(Duration.ZERO);
        }
        publish(current);
      }
    }
  }

  private static void apply(TreeMap<String, KeyValue> current, WatchEvent event) {
    if (event instanceof WatchEvent.Put put) {
      current.put(put.keyValue().key(), put.keyValue());
    } else if (event instanceof WatchEvent.Deleted deleted) {
      current.remove(deleted.key());
    }
  }

  private void publish(TreeMap<String, KeyValue> current) {
    entries = Collections.unmodifiableMap(new TreeMap<>(current));
    onChange.run();
  }

  @Override
  public void close() {
    if (task != null) {
      task.cancel();
    }
  }
}
