package interregnum.etcd;

/** What a watch saw. */
public sealed interface WatchEvent {

  record Put(KeyValue keyValue) implements WatchEvent {}

  record Deleted(String key, long revision) implements WatchEvent {}

  /** The watch is over (closed, compacted, connection lost): read again and watch anew. */
  record Ended(String reason) implements WatchEvent {}
}
