package interregnum.etcd;

/**
 * Keys in {@code [from, to)}.
 *
 * @param limit how many at most, 0 for all
 * @param revision the revision to read at, 0 for the latest
 */
public record KeyRange(String from, String to, int limit, long revision) {

  /** All keys that begin with {@code prefix}, at the latest revision. */
  public static KeyRange prefix(String prefix) {
    return new KeyRange(prefix, prefixEnd(prefix), 0, 0);
  }

  /** The same keys as they stood at {@code revision}. */
  public KeyRange at(long revision) {
    return new KeyRange(from, to, limit, revision);
  }

  /** The smallest key that is larger than every key with this prefix. */
  public static String prefixEnd(String prefix) {
    int last = prefix.length() - 1;
    return prefix.substring(0, last) + (char) (prefix.charAt(last) + 1);
  }
}
