package interregnum.check.history;

import interregnum.check.model.Call;
import java.util.Arrays;

/**
 * The operations of a run that took effect or may have, in the order of their invocations.
 *
 * <p>Operations are numbered from 0. Times are positions of events in the history, which is all
 * that linearizability looks at: an operation may take effect at any moment from its invocation to
 * its completion, both included. Immutable.
 */
public final class History {

  /** The completion of an operation whose outcome is unknown. */
  public static final int NEVER = Integer.MAX_VALUE;

  private final Call[] calls;
  private final Object[] processes;
  private final int[] invokes;
  private final int[] completes;
  private final int[] invokeIndices;
  private final int[] completeIndices;

  /** For each operation, where its invocation and its completion stand. */
  record Places(int[] invokes, int[] completes) {}

  History(Call[] calls, Object[] processes, Places positions, Places indices) {
    this.calls = calls;
    this.processes = processes;
    this.invokes = positions.invokes();
    this.completes = positions.completes();
    this.invokeIndices = indices.invokes();
    this.completeIndices = indices.completes();
  }

  /** Number of operations. */
  public int size() {
    return calls.length;
  }

  /** What the operation does; with the value of its completion if it completed. */
  public Call call(int operation) {
    return calls[operation];
  }

  /** Who did it. */
  public Object process(int operation) {
    return processes[operation];
  }

  /** Position of the invocation. */
  public int invoke(int operation) {
    return invokes[operation];
  }

  /** Position of the completion, or {@link #NEVER}. */
  public int complete(int operation) {
    return completes[operation];
  }

  /** Whether the outcome is unknown. */
  public boolean crashed(int operation) {
    return completes[operation] == NEVER;
  }

  /** The index that the history's source gave to the invocation. */
  public int invokeIndex(int operation) {
    return invokeIndices[operation];
  }

  /** The index that the history's source gave to the completion, or -1 if there is none. */
  public int completeIndex(int operation) {
    return completeIndices[operation];
  }

  /** A position behind all events. */
  public int end() {
    int end = 0;
    for (int i = 0; i < calls.length; i++) {
      end = Math.max(end, 1 + (crashed(i) ? invokes[i] : completes[i]));
    }
    return end;
  }

  /** Returns the history of some of the operations, given by ascending numbers. */
  public History select(int[] operations) {
    return new Selection(operations.length).addAll(this, operations).history();
  }

  /**
   * Returns the beginning of the history: operations invoked before {@code position}, of which
   * those completed at or after it count as crashed.
   */
  public History before(int position) {
    int n = 0;
    while (n < calls.length && invokes[n] < position) {
      n++;
    }
    int[] cut = Arrays.copyOf(completes, n);
    for (int i = 0; i < n; i++) {
      cut[i] = cut[i] < position ? cut[i] : NEVER;
    }
    return new History(
        Arrays.copyOf(calls, n),
        Arrays.copyOf(processes, n),
        new Places(Arrays.copyOf(invokes, n), cut),
        new Places(Arrays.copyOf(invokeIndices, n), Arrays.copyOf(completeIndices, n)));
  }

  /** Collects operations of other histories, keeping their positions. */
  public static final class Selection {
    private final Call[] calls;
    private final Object[] processes;
    private final int[] numbers;
    private int n;

    /** Creates room for {@code size} operations. */
    public Selection(int size) {
      calls = new Call[size];
      processes = new Object[size];
      numbers = new int[4 * size];
    }

    /** Adds an operation with a call and completion of its own. */
    public Selection add(History from, int operation, Call call, int complete) {
      calls[n] = call;
      processes[n] = from.processes[operation];
      int quarter = calls.length;
      numbers[n] = from.invokes[operation];
      numbers[quarter + n] = complete;
      numbers[2 * quarter + n] = from.invokeIndices[operation];
      numbers[3 * quarter + n] = from.completeIndices[operation];
      n++;
      return this;
    }

    private Selection addAll(History from, int[] operations) {
      for (int operation : operations) {
        add(from, operation, from.calls[operation], from.completes[operation]);
      }
      return this;
    }

    private int[] part(int from) {
      return Arrays.copyOfRange(numbers, from, from + n);
    }

    /** Returns the history of what was added, which must have come in order of invocation. */
    public History history() {
      int quarter = calls.length;
      return new History(
          Arrays.copyOf(calls, n),
          Arrays.copyOf(processes, n),
          new Places(part(0), part(quarter)),
          new Places(part(2 * quarter), part(3 * quarter)));
    }
  }
}
