package interregnum.check.read;

import clojure.lang.PersistentVector;
import interregnum.check.history.EventType;
import interregnum.check.history.HistoryException;
import interregnum.check.history.Recording;
import interregnum.check.model.Names;
import interregnum.check.model.Text;

/** Takes the fields of one event after the other and adds them to a recording. */
final class Events {

  private final Recording recording = new Recording("line");
  private int count;
  private long lastIndex = Long.MIN_VALUE;

  private Object type;
  private Object process;
  private Object f;
  private Object value;
  private Object key;
  private boolean keyed;
  private Object index;

  void begin() {
    type = null;
    process = null;
    f = null;
    value = null;
    key = null;
    keyed = false;
    index = null;
  }

  /** Sets a field by its name without a colon; unknown ones are ignored. */
  void set(String name, Object to) {
    switch (name) {
      case "type" -> type = to;
      case "process" -> process = to;
      case "f" -> f = to;
      case "value" -> value = to;
      case "index" -> index = to;
      case "key" -> {
        key = to;
        keyed = true;
      }
      default -> {
        // Times, errors and whatever else a client noted say nothing about linearizability.
      }
    }
  }

  /** Adds the event; those of anything but numbered processes are left out. */
  void end(int line) {
    EventType eventType = eventType(line);
    if (process == null) {
      throw new HistoryException("line " + line + ": an operation needs a process");
    }
    checkOrder(line);
    if (process instanceof Long) {
      if (f == null) {
        throw new HistoryException("line " + line + ": an operation needs an f");
      }
      Object whole = keyed ? PersistentVector.create(key, value) : value;
      recording.add(new Recording.Event(eventType, process, f, whole, null, count, line));
    }
    count++;
  }

  private EventType eventType(int line) {
    String name = type == null ? "nothing" : Names.of(type);
    return switch (name) {
      case "invoke" -> EventType.INVOKE;
      case "ok" -> EventType.OK;
      case "fail" -> EventType.FAIL;
      case "info" -> EventType.INFO;
      default -> throw new HistoryException(
          "line " + line + ": expected the type invoke, ok, fail or info, found " + name);
    };
  }

  private void checkOrder(int line) {
    if (index instanceof Long number) {
      if (number <= lastIndex) {
        throw new HistoryException(
            "line " + line + ": operations are out of order: index " + Text.of(number)
                + " comes after index " + lastIndex);
      }
      lastIndex = number;
    }
  }

  Recording recording() {
    return recording;
  }
}
