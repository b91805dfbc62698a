package interregnum.check.read;

import clojure.lang.Keyword;
import clojure.lang.PersistentVector;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import interregnum.check.history.HistoryException;
import interregnum.check.history.Recording;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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

  private static final int BLOCK_BYTES = 1 << 18;

  private HistoryReader() {}

  /**
   * Reads a file.
   *
   * @param format how it is written; if empty, its beginning tells
   * @throws HistoryException if it is malformed, with the line and what was expected
   */
  public static Recording read(Path file, Optional<Format> format) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return read(in, format, BLOCK_BYTES);
    }
  }

  /** Reads a text in UTF-8; see {@link #read(Path, Optional)}. */
  public static Recording read(byte[] text, Optional<Format> format) {
    try {
      return read(new ByteArrayInputStream(text), format, BLOCK_BYTES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Recording read(InputStream in, Optional<Format> format, int blockBytes)
      throws IOException {
    Blocks blocks = new Blocks(in, blockBytes);
    return switch (format.orElseGet(() -> Format.of(blocks.beginning()))) {
      case EDN -> new EdnReader(blocks, Runtime.getRuntime().availableProcessors()).read();
      case JSON -> json(blocks.rest());
      case LOG -> log(blocks.rest());
    };
  }

  /** Reads one value in EDN. */
  public static Object value(String edn) {
    return new EdnParser(edn.getBytes(StandardCharsets.UTF_8)).value();
  }

  private static Recording log(byte[] text) {
    Journal journal = new Journal();
    Fields fields = new Fields();
    int line = 0;
    for (int from = 0; from < text.length; ) {
      int to = from;
      while (to < text.length && text[to] != '\n') {
        to++;
      }
      line++;
      String all = new String(text, from, to - from, StandardCharsets.UTF_8).strip();
      if (!all.isEmpty()) {
        journal.add(logEvent(all, fields, line));
      }
      from = to + 1;
    }
    return journal.recording();
  }

  private static Event logEvent(String text, Fields event, int line) {
    int dash = text.indexOf(" - ");
    String[] words = text.substring(dash < 0 ? 0 : dash + 3).split("\\s+", 4);
    if (words.length < 3 || !words[1].startsWith(":") || !words[2].startsWith(":")) {
      throw new HistoryException(
          "line " + line + ": expected \"... - process :type :f value\", found \"" + text + "\"");
    }
    event.begin();
    event.set("process", process(words[0]));
    event.set("type", words[1].substring(1));
    event.set("f", Keyword.intern(words[2].substring(1)));
    if (words.length == 4) {
      byte[] value = words[3].getBytes(StandardCharsets.UTF_8);
      try {
        event.set("value", new EdnParser(value).value());
      } catch (HistoryException e) {
        throw new HistoryException("line " + line + ": expected a value, found " + words[3]);
      }
    }
    return event.end(line);
  }

  private static Object process(String text) {
    return text.matches("[0-9]{1,18}") ? (Object) Long.valueOf(text) : text;
  }

  private static Recording json(byte[] text) {
    Journal journal = new Journal();
    Fields fields = new Fields();
    try (JsonParser parser = new JsonFactory().createParser(text)) {
      boolean array = false;
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.START_OBJECT) {
          journal.add(jsonEvent(parser, fields));
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
    return journal.recording();
  }

  private static Event jsonEvent(JsonParser parser, Fields fields) throws IOException {
    int line = parser.currentTokenLocation().getLineNr();
    fields.begin();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      fields.set(name, jsonValue(parser));
    }
    return fields.end(line);
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
