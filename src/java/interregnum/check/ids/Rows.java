package interregnum.check.ids;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Rows of one table by tag: a hash table from tag to id without boxing. For one thread.
 *
 * <p>Tags that occur twice are remembered; the first row of such a tag wins.
 */
public final class Rows {
  /** What {@link #id} gives for a tag that no row has. */
  public static final long ABSENT = Long.MIN_VALUE;

  private final long[] tags;
  private final long[] ids;
  private final int mask;
  private final List<Long> repeatedTags = new ArrayList<>();
  private int size;

  /** Reads pairs of id and tag. */
  public Rows(List<? extends List<Long>> pairs) {
    int capacity = Math.max(16, Integer.highestOneBit(Math.max(1, pairs.size())) * 4);
    tags = new long[capacity];
    ids = new long[capacity];
    Arrays.fill(ids, ABSENT);
    mask = capacity - 1;
    for (List<Long> pair : pairs) {
      put(pair.get(1), pair.get(0));
    }
  }

  /** The id of the row with {@code tag}, or {@link #ABSENT}. */
  public long id(long tag) {
    return ids[slot(tag)];
  }

  /** How many different tags there are. */
  public int size() {
    return size;
  }

  /** Tags that more than one row has. */
  public List<Long> repeatedTags() {
    return List.copyOf(repeatedTags);
  }

  private void put(long tag, long id) {
    int slot = slot(tag);
    if (ids[slot] != ABSENT) {
      repeatedTags.add(tag);
      return;
    }
    tags[slot] = tag;
    ids[slot] = id;
    size++;
  }

  /** Where {@code tag} is or would be. */
  private int slot(long tag) {
    long mixed = tag * 0x9E3779B97F4A7C15L;
    int slot = (int) (mixed >>> 32) & mask;
    while (ids[slot] != ABSENT && tags[slot] != tag) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}
