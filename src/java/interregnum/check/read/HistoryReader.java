package interregnum.check.read;

import clojure.lang.Keyword;
import clojure.lang.PersistentVector;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import interregnum.check.history.HistoryException;
import interregnum.check.history.Recording;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the history in a file. */
public final class HistoryReader {

  private HistoryReader() {}

  /**
   * Reads a file.
   *
   * @param format how it is written; if empty, its beginning tells
   * @throws HistoryException if it is malformed, with the line and what was expected
   */
  public static Recording read(Path file, Optional<Format> format) throws IOException {
    return read(Files.readAllBytes(file), format);
  }

  /** Reads a text in UTF-8; see {@link #read(Path, Optional)}. */
  public static Recording read(byte[] text, Optional<Format> format) {
    return switch (format.orElseGet(() -> Format.of(text))) {
      case EDN -> edn(text);
      case JSON -> json(text);
      case LOG -> log(text);
    };
  }

  /** Reads one value in EDN. */
  public static Object value(String edn) {
    return new EdnParser(edn.getBytes(StandardCharsets.UTF_8)).value();
  }

  private static Recording edn(byte[] text) {
    EdnParser parser = new EdnParser(text);
    Events events = new Events();
    int first = parser.peek();
    int close = first == '[' ? ']' : first == '(' ? ')' : -1;
    if (close >= 0) {
      parser.skip();
    }
    while (parser.peek() != close) {
      if (parser.peek() < 0) {
        throw parser.error("\"" + (char) close + "\" at the end of the operations");
      }
      parser.skipTag();
      if (parser.peek() != '{') {
        throw parser.error("an operation, a map {...}");
      }
      ednEvent(parser, events);
    }
    if (close >= 0) {
      parser.skip();
      if (parser.peek() >= 0) {
        throw parser.error("nothing after the operations");
      }
    }
    return events.recording();
  }

  private static void ednEvent(EdnParser parser, Events events) {
    int line = parser.line();
    events.begin();
    parser.skip();
    while (parser.peek() != '}') {
      Object key = parser.value();
      if (!(key instanceof Keyword keyword)) {
        throw parser.error("a keyword as the key of an operation's field");
      }
      if (parser.peek() == '}') {
        throw parser.error("a value for " + keyword);
      }
      events.set(keyword.sym.getName(), parser.value());
    }
    parser.skip();
    events.end(line);
  }

  private static Recording log(byte[] text) {
    Events events = new Events();
    int line = 0;
    for (int from = 0; from < text.length; ) {
      int to = from;
      while (to < text.length && text[to] != '\n') {
        to++;
      }
      line++;
      String all = new String(text, from, to - from, StandardCharsets.UTF_8).strip();
      if (!all.isEmpty()) {
        logEvent(all, events, line);
      }
      from = to + 1;
    }
    return events.recording();
  }

  private static void logEvent(String text, Events events, int line) {
    int dash = text.indexOf(" - ");
    String[] fields = text.substring(dash < 0 ? 0 : dash + 3).split("\\s+", 4);
    if (fields.length < 3 || !fields[1].startsWith(":") || !fields[2].startsWith(":")) {
      throw new HistoryException(
          "line " + line + ": expected \"... - process :type :f value\", found \"" + text + "\"");
    }
    events.begin();
    events.set("process", process(fields[0]));
    events.set("type", fields[1].substring(1));
    events.set("f", Keyword.intern(fields[2].substring(1)));
    if (fields.length == 4) {
      byte[] value = fields[3].getBytes(StandardCharsets.UTF_8);
      try {
        events.set("value", new EdnParser(value).value());
      } catch (HistoryException e) {
        throw new HistoryException("line " + line + ": expected a value, found " + fields[3]);
      }
    }
    events.end(line);
  }

  private static Object process(String text) {
    return text.matches("[0-9]{1,18}") ? (Object) Long.valueOf(text) : text;
  }

  private static Recording json(byte[] text) {
    Events events = new Events();
    try (JsonParser parser = new JsonFactory().createParser(text)) {
      boolean array = false;
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.START_OBJECT) {
          jsonEvent(parser, events);
        } else if (token == JsonToken.START_ARRAY && !array) {
          array = true;
        } else if (token != JsonToken.END_ARRAY) {
          throw new HistoryException(
              "line " + parser.currentTokenLocation().getLineNr()
                  + ": expected an operation, an object {...}, found " + parser.getText());
        }
      }
    } catch (JsonProcessingException e) {
      throw new HistoryException(
          "line " + (e.getLocation() == null ? 0 : e.getLocation().getLineNr())
              + ": expected JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new HistoryException("unreadable: " + e.getMessage());
    }
    return events.recording();
  }

  private static void jsonEvent(JsonParser parser, Events events) throws IOException {
    int line = parser.currentTokenLocation().getLineNr();
    events.begin();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      events.set(name, jsonValue(parser));
    }
    events.end(line);
  }

  private static Object jsonValue(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case VALUE_NULL -> null;
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_STRING -> parser.getText();
      case VALUE_NUMBER_INT -> {
        Number number = parser.getNumberValue();
        yield number instanceof Integer ? (Object) number.longValue() : number;
      }
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case START_ARRAY -> {
        List<Object> all = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          all.add(jsonValue(parser));
        }
        yield PersistentVector.create(all);
      }
      case START_OBJECT -> {
        Map<Object, Object> all = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String name = parser.currentName();
          parser.nextToken();
          all.put(name, jsonValue(parser));
        }
        yield all;
      }
      default -> throw new HistoryException(
          "line " + parser.currentTokenLocation().getLineNr() + ": expected a value");
    };
  }
}
