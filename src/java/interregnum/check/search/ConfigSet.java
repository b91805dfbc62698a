package interregnum.check.search;

import java.util.Arrays;

/**
 * Configurations of which none dominates another. A hash table over the parts that must be equal
 * for one to dominate another.
 */
final class ConfigSet {

  private Config[] buckets = new Config[64];
  private Config[] members = new Config[64];
  private int memberCount;
  private int size;
  private long exact;
  private long reads;
  private boolean byCost;
  private boolean lossy;

  /**
   * Empties the set.
   *
   * @param byCost whether a configuration also dominates one that used other crashed operations of
   *     no less worth, which may lose solutions
   */
  void reset(OpenOperations open, boolean byCost) {
    this.byCost = byCost;
    if (buckets.length > 1024 && memberCount < buckets.length / 16) {
      buckets = new Config[64];
    } else {
      Arrays.fill(buckets, null);
    }
    if (members.length > 65_536) {
      members = new Config[64];
    }
    memberCount = 0;
    size = 0;
    exact = open.open & ~open.reads & ~open.overwrites;
    reads = open.reads;
  }

  private int bucket(Config config) {
    long h = (config.taken & exact) * 0x9E3779B97F4A7C15L + config.state;
    h *= 0xBF58476D1CE4E5B9L;
    return (int) (h >>> 40) & buckets.length - 1;
  }

  /** Adds a configuration unless one in the set dominates it; drops those that it dominates. */
  boolean add(Config config) {
    int b = bucket(config);
    Config before = null;
    for (Config other = buckets[b]; other != null; other = other.next) {
      boolean comparable =
          other.state == config.state && ((other.taken ^ config.taken) & exact) == 0;
      if (comparable && dominates(other, config)) {
        return false;
      }
      if (comparable && dominates(config, other)) {
        other.dominated = true;
        size--;
        if (before == null) {
          buckets[b] = other.next;
        } else {
          before.next = other.next;
        }
      } else {
        before = other;
      }
    }
    config.next = buckets[b];
    buckets[b] = config;
    remember(config);
    return true;
  }

  private boolean dominates(Config a, Config b) {
    if (!a.isAheadOf(b, reads)) {
      return false;
    }
    if (!byCost) {
      return Config.usesNoMore(a.used, b.used);
    }
    if (a.cost > b.cost) {
      return false;
    }
    lossy = lossy || !Config.usesNoMore(a.used, b.used);
    return true;
  }

  /** Whether a configuration was ever dropped on the ground of cost alone. */
  boolean lossy() {
    return lossy;
  }

  private void remember(Config config) {
    config.dominated = false;
    if (memberCount == members.length) {
      members = Arrays.copyOf(members, 2 * memberCount);
    }
    members[memberCount++] = config;
    size++;
    if (size > buckets.length) {
      rehash();
    }
  }

  private void rehash() {
    buckets = new Config[4 * buckets.length];
    for (int i = 0; i < memberCount; i++) {
      Config config = members[i];
      if (!config.dominated) {
        int b = bucket(config);
        config.next = buckets[b];
        buckets[b] = config;
      }
    }
  }

  int size() {
    return size;
  }

  /** Number of configurations ever added since the last reset, dominated ones included. */
  int added() {
    return memberCount;
  }

  /** The i-th configuration added, or null if another one dominates it by now. */
  Config member(int i) {
    return members[i].dominated ? null : members[i];
  }

  /** Returns the members in the order in which they were added. */
  Config[] toArray() {
    Config[] all = new Config[size];
    int n = 0;
    for (int i = 0; i < memberCount; i++) {
      if (!members[i].dominated) {
        all[n++] = members[i];
      }
    }
    return all;
  }
}
