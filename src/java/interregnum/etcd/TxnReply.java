package interregnum.etcd;

import java.util.List;
import java.util.Optional;

/**
 * Whether the compares held, and the store's revision after the transaction.
 *
 * @param found if they did not, what stands at the keys of {@link TxnRequest#readOnFailure}, in
 *     that order
 */
public record TxnReply(boolean succeeded, long revision, List<Optional<KeyValue>> found) {

  public TxnReply {
    found = List.copyOf(found);
  }
}
