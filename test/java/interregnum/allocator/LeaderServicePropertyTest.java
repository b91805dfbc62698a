package interregnum.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import interregnum.allocator.LeaderReply.Granted;
import interregnum.allocator.LeaderReply.Moved;
import interregnum.defect.Defects;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random sequences of requests, changes of the lead and mishaps of the store. As one request ends
 * before the next begins, every id must be larger than every one before it and than every floor.
 */
class LeaderServicePropertyTest {

  private static final int RUNS = 300;
  private static final int STEPS = 200;
  private static final String[] NAMES = {"a", "b", "c"};

  /** The first step that broke a promise, or empty. */
  private static List<String> run(AllocatorModes modes, long seed) throws InterruptedException {
    Random random = new Random(seed);
    FakeCluster cluster = new FakeCluster(modes, NAMES);
    FakeCluster.Node leader = cluster.elect("a");
    long floor = 0;
    List<String> trace = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(12)) {
        case 0 -> leader = cluster.elect(NAMES[random.nextInt(NAMES.length)]);
        case 1 -> cluster.store.next(mishap(random));
        case 2, 3 -> {
          long base = random.nextInt(4) == 0 ? floor + random.nextInt(9_000) : random.nextInt(50);
          LeaderReply reply = leader.rebase(base);
          trace.add(leader.name + " rebase " + base + " " + reply);
          if (reply instanceof Moved) {
            floor = Math.max(floor, base);
          }
        }
        default -> {
          FakeCluster.Node node = cluster.node(NAMES[random.nextInt(NAMES.length)]);
          node = random.nextInt(3) == 0 ? node : leader;
          Spacing spacing = new Spacing(1 + random.nextInt(5), 1 + random.nextInt(8));
          int n = random.nextInt(20) == 0 ? random.nextInt(9_000) : random.nextInt(5);
          LeaderReply reply = node.alloc(n, spacing);
          trace.add(node.name + " alloc " + n + " " + spacing + " " + reply);
          if (reply instanceof Granted granted) {
            if (!fits(granted, floor, n, spacing)) {
              return trace;
            }
            floor = granted.max();
          }
        }
      }
    }
    return List.of();
  }

  private static FakeStore.Mishap mishap(Random random) {
    FakeStore.Mishap[] all = FakeStore.Mishap.values();
    return all[random.nextInt(all.length)];
  }

  private static boolean fits(Granted granted, long floor, int n, Spacing spacing) {
    long ids = 0;
    for (long id = granted.min() + 1; id <= granted.max(); id++) {
      ids += id >= spacing.offset() && (id - spacing.offset()) % spacing.increment() == 0 ? 1 : 0;
    }
    boolean endsOnAnId =
        n == 0 || (granted.max() - spacing.offset()) % spacing.increment() == 0;
    return granted.min() >= floor && ids == n && endsOnAnId;
  }

  @Test
  void idsRiseWhateverHappens() throws Exception {
    long seed = Long.getLong("seed", System.nanoTime());
    for (long s = seed; s < seed + RUNS; s++) {
      assertThat(run(AllocatorModes.CORRECT, s)).as("seed=%d", s).isEmpty();
    }
  }

  /** The property is worth something: it fails where it should. */
  @Test
  void idsFallWithDefects() throws Exception {
    for (String defect : List.of("tidb-52600", "serve-after-lease", "mysql-199")) {
      AllocatorModes modes = Defects.modes(List.of(defect)).allocator();
      int broken = 0;
      for (long seed = 0; seed < 20; seed++) {
        broken += run(modes, seed).isEmpty() ? 0 : 1;
      }
      assertThat(broken).as(defect).isPositive();
    }
  }
}
