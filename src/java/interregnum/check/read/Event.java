package interregnum.check.read;

import interregnum.check.history.EventType;

/**
 * An event as a file tells it.
 *
 * @param index what the file calls its index, or null
 * @param line the line on which it begins
 */
record Event(
    EventType type, Object process, Object f, Object value, Object index, int line) {}
