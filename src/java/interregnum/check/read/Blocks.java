package interregnum.check.read;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Cuts a text into blocks, before lines that begin as operations do. Whether an operation really
 * begins there is for the parser to find out.
 */
final class Blocks {

  /** The first {@code length} bytes of an array. */
  record Block(byte[] text, int length) {}

  private final InputStream in;
  private final int size;
  private byte[] text;
  private int length;
  private boolean ended;

  /** Begins to cut a text into blocks of about {@code size} bytes. */
  Blocks(InputStream in, int size) throws IOException {
    this.in = in;
    this.size = size;
    this.text = new byte[size];
    fill();
  }

  private void fill() throws IOException {
    int read = in.readNBytes(text, length, text.length - length);
    ended = length + read < text.length;
    length += read;
  }

  /** What is known of the text that was not yet returned. */
  Block beginning() {
    return new Block(text, length);
  }

  /** Returns the next block, or null at the end of the text. */
  Block next() throws IOException {
    int cut = cut();
    while (cut == 0 && !ended) {
      text = Arrays.copyOf(text, 2 * text.length);
      fill();
      cut = cut();
    }
    if (cut == 0) {
      cut = length;
    }
    Block block = new Block(text, cut);
    byte[] behind = new byte[Math.max(size, length - cut)];
    System.arraycopy(text, cut, behind, 0, length - cut);
    text = behind;
    length -= cut;
    if (!ended) {
      fill();
    }
    return block.length() == 0 ? null : block;
  }

  /** The last position behind a line's end where an operation may begin, or 0. */
  private int cut() {
    int begin = -1;
    for (int i = length - 1; i >= 0; i--) {
      byte b = text[i];
      if (b == '{' || b == '#') {
        begin = i;
      } else if (b == '\n' && begin >= 0) {
        return i + 1;
      } else if (b != ' ' && b != '\t') {
        begin = -1;
      }
    }
    return 0;
  }

  /** Returns all of the text that was not yet returned. */
  byte[] rest() throws IOException {
    byte[] behind = ended ? new byte[0] : in.readAllBytes();
    byte[] all = Arrays.copyOf(text, length + behind.length);
    System.arraycopy(behind, 0, all, length, behind.length);
    length = 0;
    ended = true;
    return all;
  }
}
