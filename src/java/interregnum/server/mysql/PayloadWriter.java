package interregnum.server.mysql;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Builds a packet's payload. Numbers are little-endian. */
final class PayloadWriter {

  private byte[] bytes = new byte[128];
  private int size;

  byte[] bytes() {
    return bytes;
  }

  int size() {
    return size;
  }

  PayloadWriter int1(int value) {
    room(1);
    bytes[size++] = (byte) value;
    return this;
  }

  PayloadWriter int2(int value) {
    return fixed(value, 2);
  }

  PayloadWriter int4(long value) {
    return fixed(value, 4);
  }

  PayloadWriter int8(long value) {
    return fixed(value, 8);
  }

  private PayloadWriter fixed(long value, int length) {
    room(length);
    for (int i = 0; i < length; i++) {
      bytes[size++] = (byte) (value >> 8 * i);
    }
    return this;
  }

  /** An unsigned number in one, three, four, or nine bytes. */
  PayloadWriter lengthEncoded(long value) {
    if (value >= 0 && value < 251) {
      return int1((int) value);
    } else if (value >= 0 && value < 1 << 16) {
      return int1(0xfc).int2((int) value);
    } else if (value >= 0 && value < 1 << 24) {
      return int1(0xfd).fixed(value, 3);
    }
    return int1(0xfe).int8(value);
  }

  /** A text preceded by its length. */
  PayloadWriter lengthEncoded(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return lengthEncoded(utf8.length).raw(utf8);
  }

  /** A text ended by a zero. */
  PayloadWriter zeroEnded(String text) {
    return text(text).int1(0);
  }

  /** A text that runs to the end of the packet. */
  PayloadWriter text(String text) {
    return raw(text.getBytes(StandardCharsets.UTF_8));
  }

  PayloadWriter raw(byte[] value) {
    room(value.length);
    System.arraycopy(value, 0, bytes, size, value.length);
    size += value.length;
    return this;
  }

  PayloadWriter zeros(int count) {
    room(count);
    size += count;
    return this;
  }

  /** Sets bits in a byte written before. */
  void setBits(int position, int bits) {
    bytes[position] |= (byte) bits;
  }

  private void room(int count) {
    if (bytes.length - size < count) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + count));
    }
  }
}
