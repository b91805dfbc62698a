package interregnum.failpoint;

import interregnum.runtime.Mutex;
import interregnum.runtime.Randomness;
import interregnum.runtime.Runtime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The failpoints of one node: named places where a task can be held, delayed, failed or made to end
 * the process. Any task may hit or arm them; an unarmed one costs a map look-up.
 *
 * <p>{@code pause} holds a task until the point is armed anew or disarmed. {@code error} throws
 * {@link FailpointException}, which the code around the point treats as the failure it stands for.
 * {@code crash} runs the crash action, which on a real node does not return.
 */
public final class Failpoints {
  private static final Duration PAUSE_TICK = Duration.ofMinutes(1);

  private final Runtime runtime;
  private final Runnable crashAction;
  private final Mutex mutex;

  /** Guarded by {@link #mutex}. */
  private final Randomness randomness;

  /** Guarded by {@link #mutex}; replaced, never changed, so that {@link #hit} may read it bare. */
  private volatile Map<String, Point> points = Map.of();

  public Failpoints(Runtime runtime, Runnable crashAction) {
    this.runtime = runtime;
    this.crashAction = crashAction;
    this.mutex = runtime.mutex("failpoints");
    this.randomness = runtime.randomness("failpoints");
  }

  /**
   * Marks that a task has come to point {@code name}, and does what the point's term says.
   *
   * @param labels {@code key=value} texts for the term's filter
   */
  public void hit(String name, String... labels) throws InterruptedException {
    Point point = points.get(name);
    if (point == null || !point.term.matches(labels)) {
      return;
    }
    long number;
    mutex.lock();
    try {
      if (randomness.nextInt(100) >= point.term.percent()) {
        return;
      }
      number = ++point.hits;
    } finally {
      mutex.unlock();
    }
    if (point.term.count() == 0 || number <= point.term.count()) {
      act(name, point, String.join(",", labels));
    }
  }

  private void act(String name, Point point, String who) throws InterruptedException {
    switch (point.term.action()) {
      case OFF -> {}
      case PAUSE -> hold(name, point, who, Long.MAX_VALUE);
      case SLEEP -> hold(name, point, who, point.term.sleep().toNanos());
      case ERROR -> throw new FailpointException(name);
      case CRASH -> {
        crashAction.run();
        throw new FailpointException(name);
      }
    }
  }

  /** Holds the task for {@code nanos}, or until the point is armed anew. */
  private void hold(String name, Point point, String who, long nanos)
      throws InterruptedException {
    long start = runtime.nanoTime();
    mutex.lock();
    try {
      point.held.add(who);
      mutex.signalAll();
      long left = nanos;
      while (left > 0 && points.get(name) == point) {
        mutex.await(Duration.ofNanos(Math.min(left, PAUSE_TICK.toNanos())));
        left = nanos - (runtime.nanoTime() - start);
      }
    } finally {
      point.held.remove(who);
      mutex.unlock();
    }
  }

  /**
   * Arms {@code name} with {@code term} and lets go the tasks that its earlier term held.
   *
   * @throws IllegalArgumentException if the term cannot be read
   */
  public void arm(String name, String term) {
    FailpointTerm parsed = FailpointTerm.parse(term);
    replace(name, parsed.action() == FailpointTerm.Action.OFF ? null : new Point(term, parsed));
  }

  /** Disarms {@code name} and lets go the tasks it held. */
  public void disarm(String name) {
    replace(name, null);
  }

  private void replace(String name, Point point) {
    mutex.lock();
    try {
      Map<String, Point> next = new TreeMap<>(points);
      if (point == null) {
        next.remove(name);
      } else {
        next.put(name, point);
      }
      points = next;
      mutex.signalAll();
    } finally {
      mutex.unlock();
    }
  }

  /** The state of one point, armed or not. */
  public FailpointState state(String name) {
    mutex.lock();
    try {
      Point point = points.get(name);
      return point == null
          ? new FailpointState(name, "off", 0, List.of())
          : new FailpointState(name, point.text, point.hits, List.copyOf(point.held));
    } finally {
      mutex.unlock();
    }
  }

  /** The armed points, by name. */
  public List<FailpointState> armed() {
    List<FailpointState> states = new ArrayList<>();
    for (String name : points.keySet()) {
      states.add(state(name));
    }
    return states;
  }

  /** An armed point. Counts and list are guarded by the registry's mutex. */
  private static final class Point {
    private final String text;
    private final FailpointTerm term;
    private long hits;
    private final List<String> held = new ArrayList<>();

    Point(String text, FailpointTerm term) {
      this.text = text;
      this.term = term;
    }
  }
}
