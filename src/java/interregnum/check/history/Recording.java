package interregnum.check.history;

import interregnum.check.model.Call;
import interregnum.check.model.Model;
import interregnum.check.model.Names;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Pairs the events of a run, added in the order in which they happened, into operations.
 *
 * <p>Failed operations are left out. The value of a successful completion replaces that of the
 * invocation, unless it is nil; an unknown outcome keeps the value of the invocation. Not
 * thread-safe.
 */
public final class Recording {

  private final String unit;
  private Object[] fs = new Object[64];
  private Object[] values = new Object[64];
  private Object[] details = new Object[64];
  private Object[] processes = new Object[64];
  private int[] invokes = new int[64];
  private int[] completes = new int[64];
  private int[] invokeIndices = new int[64];
  private int[] completeIndices = new int[64];
  private int size;
  private int position;
  private int failed;
  /** For each process the operation it is in, or a negative number. */
  private final Map<Object, int[]> open = new HashMap<>();

  private final Map<Object, String> names = new HashMap<>();

  /** Creates an empty recording whose error messages count in {@code unit}, such as "line". */
  public Recording(String unit) {
    this.unit = unit;
  }

  /**
   * An event of a run.
   *
   * @param f name of the operation
   * @param detail anything else that the model looks at, or null
   * @param index the index of the event in its source, kept for reports
   * @param place number of the unit in which the event stands
   */
  public record Event(
      EventType type,
      Object process,
      Object f,
      Object value,
      Object detail,
      int index,
      int place) {}

  /** Adds the next event. */
  public void add(Event event) {
    if (event.type() == EventType.INVOKE) {
      invoke(event);
    } else {
      int[] operation = open.get(event.process());
      if (operation == null || operation[0] < 0) {
        throw wrong(event, "completes " + Names.of(event.f()) + ", which it did not invoke");
      }
      complete(operation[0], event);
      operation[0] = -1;
    }
    position++;
  }

  private HistoryException wrong(Event event, String what) {
    return new HistoryException(
        unit + " " + event.place() + ": process " + event.process() + " " + what);
  }

  private void invoke(Event event) {
    if (size == fs.length) {
      grow();
    }
    int[] operation = open.computeIfAbsent(event.process(), process -> new int[] {-1});
    if (operation[0] >= 0) {
      throw wrong(
          event,
          "invokes " + Names.of(event.f()) + " while its " + Names.of(fs[operation[0]])
              + " is still open");
    }
    operation[0] = size;
    fs[size] = event.f();
    values[size] = event.value();
    details[size] = event.detail();
    processes[size] = event.process();
    invokes[size] = position;
    completes[size] = History.NEVER;
    invokeIndices[size] = event.index();
    completeIndices[size] = -1;
    size++;
  }

  private void complete(int operation, Event event) {
    if (!event.f().equals(fs[operation])) {
      throw wrong(
          event,
          "invoked " + Names.of(fs[operation]) + " but completes " + Names.of(event.f()));
    }
    completeIndices[operation] = event.index();
    if (event.type() == EventType.OK) {
      completes[operation] = position;
      values[operation] = event.value() == null ? values[operation] : event.value();
      details[operation] = event.detail() == null ? details[operation] : event.detail();
    } else if (event.type() == EventType.FAIL) {
      fs[operation] = null;
      failed++;
    }
  }

  private void grow() {
    int length = 2 * size;
    fs = Arrays.copyOf(fs, length);
    values = Arrays.copyOf(values, length);
    details = Arrays.copyOf(details, length);
    processes = Arrays.copyOf(processes, length);
    invokes = Arrays.copyOf(invokes, length);
    completes = Arrays.copyOf(completes, length);
    invokeIndices = Arrays.copyOf(invokeIndices, length);
    completeIndices = Arrays.copyOf(completeIndices, length);
  }

  /** Number of operations that were invoked, failed ones included. */
  public int operations() {
    return size;
  }

  /** Number of operations that failed. */
  public int failures() {
    return failed;
  }

  /** Number of operations that succeeded. */
  public int successes() {
    int n = 0;
    for (int i = 0; i < size; i++) {
      n += completes[i] == History.NEVER ? 0 : 1;
    }
    return n;
  }

  /** Returns the call of an operation as it was recorded; empty if it failed. */
  public Optional<Call> recorded(int operation) {
    return fs[operation] == null
        ? Optional.empty()
        : Optional.of(new Call(name(fs[operation]), values[operation], details[operation]));
  }

  /** Names of the operations that did not fail. */
  public Set<String> names() {
    Set<Object> distinct = new HashSet<>(Arrays.asList(fs).subList(0, size));
    distinct.remove(null);
    return distinct.stream().map(this::name).collect(Collectors.toCollection(TreeSet::new));
  }

  /** Whether the values of all operations that did not fail are of some kind. */
  public boolean valuesAre(Predicate<Object> kind) {
    for (int i = 0; i < size; i++) {
      if (fs[i] != null && !kind.test(values[i])) {
        return false;
      }
    }
    return true;
  }

  private String name(Object f) {
    return f instanceof String s ? s : names.computeIfAbsent(f, Names::of);
  }

  /** Returns the history as the model understands it. */
  public History history(Model model) {
    Call[] calls = new Call[size];
    int n = 0;
    for (int i = 0; i < size; i++) {
      if (fs[i] != null) {
        Call recorded = new Call(name(fs[i]), values[i], details[i]);
        boolean crashed = completes[i] == History.NEVER;
        calls[i] = model.interpret(recorded, processes[i], crashed).orElse(null);
        n += calls[i] == null ? 0 : 1;
      }
    }
    return packed(calls, n);
  }

  private History packed(Call[] calls, int n) {
    Call[] packedCalls = new Call[n];
    Object[] packedProcesses = new Object[n];
    int[][] numbers = new int[4][n];
    int to = 0;
    for (int i = 0; i < size; i++) {
      if (calls[i] != null) {
        packedCalls[to] = calls[i];
        packedProcesses[to] = processes[i];
        numbers[0][to] = invokes[i];
        numbers[1][to] = completes[i];
        numbers[2][to] = invokeIndices[i];
        numbers[3][to] = completeIndices[i];
        to++;
      }
    }
    return new History(
        packedCalls,
        packedProcesses,
        new History.Places(numbers[0], numbers[1]),
        new History.Places(numbers[2], numbers[3]));
  }
}
