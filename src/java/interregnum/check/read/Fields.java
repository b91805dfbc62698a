package interregnum.check.read;

import clojure.lang.PersistentVector;
import interregnum.check.history.EventType;
import interregnum.check.history.HistoryException;
import interregnum.check.model.Names;

/** Takes the fields of one event after the other. */
final class Fields {

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

  /** Returns the event that began on the given line. */
  Event end(int line) {
    EventType eventType = eventType(line);
    if (process == null) {
      throw new HistoryException("line " + line + ": an operation needs a process");
    }
    if (f == null && process instanceof Long) {
      throw new HistoryException("line " + line + ": an operation needs an f");
    }
    Object whole = keyed ? PersistentVector.create(key, value) : value;
    return new Event(eventType, process, f, whole, index, line);
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
}
