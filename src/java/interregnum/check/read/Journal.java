package interregnum.check.read;

import interregnum.check.history.HistoryException;
import interregnum.check.history.Recording;
import interregnum.check.model.Text;

/** Adds the events of a file to a recording, in their order. */
final class Journal {

  private final Recording recording = new Recording("line");
  private int count;
  private long lastIndex = Long.MIN_VALUE;

  void add(Event event) {
    add(event, 0);
  }

  /** Adds an event whose line was counted from the one behind the first {@code linesBefore}. */
  void add(Event event, int linesBefore) {
    int line = linesBefore + event.line();
    checkOrder(event.index(), line);
    if (event.process() instanceof Long) {
      recording.add(
          new Recording.Event(
              event.type(), event.process(), event.f(), event.value(), null, count, line));
    }
    count++;
  }

  private void checkOrder(Object index, int line) {
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
