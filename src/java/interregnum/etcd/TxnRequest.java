package interregnum.etcd;

import java.util.List;

/**
 * Writes that happen together if every compare holds.
 *
 * @param readOnFailure keys to read, in the same transaction, if a compare does not hold
 */
public record TxnRequest(List<Compare> compares, List<Write> writes, List<String> readOnFailure) {

  public TxnRequest {
    compares = List.copyOf(compares);
    writes = List.copyOf(writes);
    readOnFailure = List.copyOf(readOnFailure);
  }

  public TxnRequest(List<Compare> compares, List<Write> writes) {
    this(compares, writes, List.of());
  }

  /** A condition on one key. An absent key has create and mod revision 0. */
  public sealed interface Compare {
    String key();

    record CreateRevisionIs(String key, long revision) implements Compare {}

    record ModRevisionIs(String key, long revision) implements Compare {}

    /** The key has not changed since {@code revision}: its mod revision is at most that. */
    record ModRevisionAtMost(String key, long revision) implements Compare {}
  }

  /** A change of one key. */
  public sealed interface Write {
    String key();

    record Put(String key, String value, long leaseId) implements Write {}

    record Delete(String key) implements Write {}
  }
}
