package interregnum.check;

import interregnum.check.fast.FastCheck;
import interregnum.check.history.History;
import interregnum.check.history.Recording;
import interregnum.check.model.Model;
import interregnum.check.search.Stop;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The parts of one check and what became of them. Its threads share it; all state is guarded by the
 * object itself.
 */
final class Work {

  private final Model model;
  private final Recording recording;
  private final Budget budget;
  private final Watch watch;

  /** The algorithm for the history as it stands; set before its only part begins. */
  private Optional<FastCheck> fast = Optional.empty();

  private List<Part> parts;
  private boolean splitting;
  private int next;
  private int running;
  private boolean closed;
  private RuntimeException failure;
  private final List<PartCheck> started = new ArrayList<>();
  private final List<Failure> failures = new ArrayList<>();
  private final List<Object> finalStates = new ArrayList<>();
  private final TreeSet<String> methods = new TreeSet<>();
  private int valid;

  Work(Model model, Recording recording, Budget budget, Watch watch) {
    this.model = model;
    this.recording = recording;
    this.budget = budget;
    this.watch = watch;
  }

  /** What each thread does: check parts until none is left. */
  void run() {
    if (split()) {
      for (PartCheck check = take(); check != null; check = take()) {
        PartCheck mine = check;
        guarded(() -> record(mine, mine.run(fast)));
      }
    }
  }

  /** Runs a piece of work that counts as running; what it throws ends the whole. */
  private void guarded(Runnable piece) {
    try {
      piece.run();
    } catch (Stop.Stopped e) {
      finish(null);
    } catch (OutOfMemoryError e) {
      watch.stop().request("the heap was used up");
      finish(null);
    } catch (RuntimeException e) {
      finish(e);
    } catch (StackOverflowError | AssertionError e) {
      finish(new IllegalStateException("the model failed: " + e, e));
    } finally {
      leave();
    }
  }

  /** The first thread splits the history; others wait for it. */
  private boolean split() {
    synchronized (this) {
      if (splitting) {
        while (parts == null && !closed) {
          try {
            wait();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
          }
        }
        return !closed;
      }
      splitting = true;
      running++;
    }
    guarded(() -> begin(parts(recording.history(model))));
    synchronized (this) {
      return !closed;
    }
  }

  /** The whole history is one part if there is an algorithm for it as it stands. */
  private List<Part> parts(History history) {
    fast = FastCheck.of(model).filter(f -> f.applies(history));
    return fast.isPresent()
        ? List.of(new Part(java.util.Set.of(), model, history))
        : Part.split(model, history);
  }

  private synchronized void begin(List<Part> all) {
    parts = all;
  }

  private synchronized PartCheck take() {
    if (closed || next == parts.size()) {
      return null;
    }
    running++;
    boolean explain = failures.size() < budget.explanations();
    boolean spareThread = parts.size() < budget.threads();
    PartCheck check = new PartCheck(parts.get(next++), watch, explain, spareThread);
    started.add(check);
    return check;
  }

  private synchronized void leave() {
    running--;
    notifyAll();
  }

  private synchronized void finish(RuntimeException e) {
    if (!closed && failure == null) {
      failure = e;
    }
    closed = true;
    notifyAll();
  }

  private synchronized void record(PartCheck check, PartCheck.Answer answer) {
    if (closed) {
      return;
    }
    methods.add(answer.method());
    if (answer.failure().isPresent()) {
      failures.add(answer.failure().get());
    } else if (answer.decided()) {
      valid++;
      if (parts.size() == 1) {
        finalStates.addAll(answer.finalStates());
      }
    } else {
      return;
    }
    started.remove(check);
    notifyAll();
  }

  /** Waits until all is done, at most {@code ms} milliseconds; true if it is. */
  synchronized boolean awaitEnd(long ms) throws InterruptedException {
    long end = System.nanoTime() + ms * 1_000_000;
    while (!ended()) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  private boolean ended() {
    return closed && running == 0
        || parts != null && next == parts.size() && running == 0
        || failure != null;
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }

  synchronized void throwFailure() {
    if (failure != null) {
      throw failure;
    }
  }

  synchronized List<Failure> failures() {
    return List.copyOf(failures);
  }

  synchronized List<Object> finalStates() {
    return new ArrayList<>(finalStates);
  }

  synchronized int validParts() {
    return valid;
  }

  synchronized int partCount() {
    return parts == null ? 0 : parts.size();
  }

  synchronized String methods() {
    return String.join(", ", methods);
  }

  /** The parts without an answer. */
  synchronized List<Result.OpenPart> open(String reason) {
    String why = reason == null ? "the search gave up" : reason;
    List<Result.OpenPart> open = new ArrayList<>();
    if (parts == null) {
      Part all = new Part(java.util.Set.of(), model, new Recording("event").history(model));
      open.add(
          new Result.OpenPart(
              all, why + " before the search began", 0, recording.operations(), advice(why)));
      return open;
    }
    for (PartCheck check : started) {
      open.add(openPart(check.part(), check.reason().orElse(why), check.decidedOperations()));
    }
    for (Part part : parts.subList(next, parts.size())) {
      open.add(openPart(part, why + " before its turn", 0));
    }
    return open;
  }

  private static Result.OpenPart openPart(Part part, String why, int decided) {
    return new Result.OpenPart(part, why, decided, part.history().size(), advice(why));
  }

  private static String advice(String reason) {
    if (reason.contains("heap")) {
      return "give it a larger heap, or check keys apart if the object has independent parts";
    }
    if (reason.contains("time")) {
      return "give it more time, or check keys apart if the object has independent parts";
    }
    return "check keys apart if the object has independent parts";
  }
}
