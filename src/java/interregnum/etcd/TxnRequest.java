package interregnum.etcd;

import java.util.List;

/** Writes that happen together if every compare holds. */
public record TxnRequest(List<Compare> compares, List<Write> writes) {

  public TxnRequest {
    compares = List.copyOf(compares);
    writes = List.copyOf(writes);
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
