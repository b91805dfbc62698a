package interregnum.owner;

import interregnum.etcd.KeyValue;

/**
 * Who holds an election.
 *
 * @param term the candidate key's create revision
 */
public record Leader(String id, String address, long term) {

  static Leader of(KeyValue candidate) {
    String value = candidate.value();
    int at = value.indexOf('@');
    return new Leader(
        value.substring(0, Math.max(at, 0)), value.substring(at + 1), candidate.createRevision());
  }
}
