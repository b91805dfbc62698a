package interregnum.check;

import clojure.lang.PersistentVector;
import interregnum.check.history.EventType;
import interregnum.check.history.Recording;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * A simulated run of clients of one compare-and-set register that starts with 0: every operation
 * takes effect at a random moment between its two events. Some crash: of those, half never take
 * effect, the others do at some later time. What happened is known, and can be spoilt.
 */
final class RegisterRun {

  /**
   * What to simulate.
   *
   * @param crashes fraction of operations that crash
   * @param values size of the domain, or 0 to write every value once
   */
  record Plan(int operations, int clients, double crashes, int values, long seed) {}

  /** An event as it will be recorded; {@code happened} tells whether its operation took effect. */
  static final class Event {
    EventType type;
    final long process;
    final String f;
    Object value;
    boolean happened;

    Event(EventType type, long process, String f, Object value) {
      this.type = type;
      this.process = process;
      this.f = f;
      this.value = value;
    }
  }

  private record Due(double time, long order, Runnable action) {}

  private final Plan plan;
  private final Random random;
  private final PriorityQueue<Due> agenda =
      new PriorityQueue<>(
          (a, b) -> a.time() != b.time()
              ? Double.compare(a.time(), b.time())
              : Long.compare(a.order(), b.order()));
  private final List<Event> events = new ArrayList<>();
  private double now;
  private long order;
  private Object register = 0L;
  private int started;
  private long written;

  private RegisterRun(Plan plan) {
    this.plan = plan;
    this.random = new Random(plan.seed());
  }

  /** Simulates a run. */
  static List<Event> simulate(Plan plan) {
    RegisterRun run = new RegisterRun(plan);
    for (int client = 0; client < plan.clients(); client++) {
      long process = client;
      run.invokeAt(run.exponential(1), process);
    }
    while (!run.agenda.isEmpty()) {
      Due due = run.agenda.poll();
      run.now = due.time();
      due.action().run();
    }
    return run.events;
  }

  private double exponential(double mean) {
    return -mean * Math.log(1 - random.nextDouble());
  }

  private void invokeAt(double time, long process) {
    agenda.add(new Due(time, order++, () -> invoke(process)));
  }

  private void invoke(long process) {
    if (started == plan.operations()) {
      return;
    }
    started++;
    String f = List.of("read", "write", "cas").get(random.nextInt(3));
    Event begin = new Event(EventType.INVOKE, process, f, argument(f));
    Event end = new Event(null, process, f, begin.value);
    events.add(begin);
    double duration = exponential(10);
    boolean crashes = random.nextDouble() < plan.crashes();
    double effect = now + random.nextDouble() * (crashes ? 100 : duration);
    if (!crashes || random.nextBoolean()) {
      agenda.add(new Due(effect, order++, () -> take(begin, end)));
    }
    double finish = now + (crashes ? 3 * duration : duration);
    agenda.add(new Due(finish, order++, () -> finish(begin, end, crashes)));
  }

  private Object argument(String f) {
    return switch (f) {
      case "read" -> null;
      case "write" -> value();
      default -> PersistentVector.create(
          plan.values() == 0 ? register : (Object) (long) random.nextInt(plan.values()), value());
    };
  }

  private Object value() {
    return plan.values() == 0 ? ++written : (long) random.nextInt(plan.values());
  }

  private void take(Event begin, Event end) {
    begin.happened = true;
    switch (begin.f) {
      case "read" -> end.value = register;
      case "write" -> register = begin.value;
      default -> {
        List<?> pair = (List<?>) begin.value;
        begin.happened = Objects.equals(register, pair.get(0));
        register = begin.happened ? pair.get(1) : register;
      }
    }
  }

  private void finish(Event begin, Event end, boolean crashes) {
    end.type =
        crashes ? EventType.INFO : begin.happened ? EventType.OK : EventType.FAIL;
    events.add(end);
    long next = crashes ? begin.process + plan.clients() : begin.process;
    invokeAt(now + exponential(1), next);
  }

  /** Records the first {@code count} events. */
  static Recording record(List<Event> events, int count) {
    Recording recording = new Recording("event");
    for (int i = 0; i < count; i++) {
      Event e = events.get(i);
      recording.add(new Recording.Event(e.type, e.process, e.f, e.value, null, i, i));
    }
    return recording;
  }

  /** Changes the first successful read at or after a fraction of the events to another value. */
  static int spoil(List<Event> events, double fraction, Object value) {
    for (int i = (int) (events.size() * fraction); i < events.size(); i++) {
      Event e = events.get(i);
      if (e.type == EventType.OK && e.f.equals("read") && !value.equals(e.value)) {
        e.value = value;
        return i;
      }
    }
    throw new IllegalStateException("no read to spoil");
  }
}
