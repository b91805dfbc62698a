package interregnum.check.read;

import clojure.lang.Keyword;
import interregnum.check.history.HistoryException;
import interregnum.check.history.Recording;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Reads a history in EDN: operations one after the other or in a vector or list.
 *
 * <p>Blocks of the text are parsed ahead on several threads. What is left, from the first place
 * where a block does not go on with a whole operation, is parsed in one go: there the history ends,
 * or a block was cut within an operation, or the text is malformed.
 */
final class EdnReader {

  /** What ends the operations: not known yet, or the end of the text, or this character. */
  private static final int UNKNOWN = 0;

  private static final int END_OF_TEXT = -1;

  private final Blocks blocks;
  private final int threads;
  private final Journal journal = new Journal();
  private int close = UNKNOWN;
  private int linesBefore;

  EdnReader(Blocks blocks, int threads) {
    this.blocks = blocks;
    this.threads = threads;
  }

  /**
   * The operations with which a block begins.
   *
   * @param close what ends the operations, as far as the block tells
   * @param parsed how many bytes of the block they are
   * @param lines how many lines end there
   */
  private record Batch(
      Blocks.Block block, List<Event> events, int close, int parsed, int lines) {
    boolean whole() {
      return parsed == block.length();
    }
  }

  Recording read() throws IOException {
    ExecutorService pool =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "read");
              thread.setDaemon(true);
              return thread;
            });
    try {
      byte[] rest = readBlocks(pool);
      EdnParser parser = new EdnParser(rest, rest.length, 1 + linesBefore);
      if (close == UNKNOWN) {
        close = open(parser);
      }
      readRest(parser);
      return journal.recording();
    } finally {
      pool.shutdownNow();
    }
  }

  /** Adds the operations of blocks and returns the text behind the last of them. */
  private byte[] readBlocks(ExecutorService pool) throws IOException {
    Deque<Future<Batch>> ahead = new ArrayDeque<>();
    boolean first = true;
    while (true) {
      while (ahead.size() <= 2 * threads) {
        Blocks.Block block = blocks.next();
        if (block == null) {
          break;
        }
        int closeSoFar = first ? UNKNOWN : END_OF_TEXT;
        first = false;
        ahead.add(pool.submit(() -> parse(block, closeSoFar)));
      }
      if (ahead.isEmpty()) {
        return new byte[0];
      }
      Batch batch = result(ahead.remove());
      close = close == UNKNOWN ? batch.close() : close;
      for (Event event : batch.events()) {
        journal.add(event, linesBefore);
      }
      linesBefore += batch.lines();
      if (!batch.whole()) {
        return behind(batch, ahead);
      }
    }
  }

  private byte[] behind(Batch batch, Deque<Future<Batch>> ahead) throws IOException {
    ByteArrayOutputStream rest = new ByteArrayOutputStream();
    Blocks.Block cut = batch.block();
    rest.write(cut.text(), batch.parsed(), cut.length() - batch.parsed());
    for (Future<Batch> next : ahead) {
      Blocks.Block block = result(next).block();
      rest.write(block.text(), 0, block.length());
    }
    rest.write(blocks.rest());
    return rest.toByteArray();
  }

  private static Batch result(Future<Batch> future) throws IOException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** What is malformed, or seems so because the block ends, is left for the rest. */
  private static Batch parse(Blocks.Block block, int closeSoFar) {
    EdnParser parser = new EdnParser(block.text(), block.length(), 1);
    List<Event> events = new ArrayList<>();
    int close = closeSoFar;
    int parsed = 0;
    int line = 1;
    try {
      if (close == UNKNOWN) {
        close = open(parser);
      }
      Fields fields = new Fields();
      int c = parser.peek();
      while (true) {
        parsed = parser.position();
        line = parser.line();
        if (c != '{' && c != '#') {
          break;
        }
        events.add(event(parser, fields));
        c = parser.peek();
      }
    } catch (HistoryException e) {
      return new Batch(block, events, close, parsed, line - 1);
    }
    return new Batch(block, events, close, parsed, line - 1);
  }

  private void readRest(EdnParser parser) {
    Fields fields = new Fields();
    while (parser.peek() != close) {
      if (parser.peek() < 0) {
        throw parser.error("\"" + (char) close + "\" at the end of the operations");
      }
      journal.add(event(parser, fields));
    }
    if (close != END_OF_TEXT) {
      parser.skip();
      if (parser.peek() >= 0) {
        throw parser.error("nothing after the operations");
      }
    }
  }

  /** Moves past what begins the operations and returns what ends them. */
  private static int open(EdnParser parser) {
    int first = parser.peek();
    int close = first == '[' ? ']' : first == '(' ? ')' : END_OF_TEXT;
    if (close != END_OF_TEXT) {
      parser.skip();
    }
    return close;
  }

  private static Event event(EdnParser parser, Fields fields) {
    parser.skipTag();
    if (parser.peek() != '{') {
      throw parser.error("an operation, a map {...}");
    }
    int line = parser.line();
    fields.begin();
    parser.skip();
    while (parser.peek() != '}') {
      Object key = parser.value();
      if (!(key instanceof Keyword keyword)) {
        throw parser.error("a keyword as the key of an operation's field");
      }
      if (parser.peek() == '}') {
        throw parser.error("a value for " + keyword);
      }
      fields.set(keyword.sym.getName(), parser.value());
    }
    parser.skip();
    return fields.end(line);
  }
}
