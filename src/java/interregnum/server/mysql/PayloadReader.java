package interregnum.server.mysql;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Takes a packet's payload apart; whatever does not fit is a malformed packet. */
final class PayloadReader {

  private final byte[] bytes;
  private int at;

  PayloadReader(byte[] bytes) {
    this.bytes = bytes;
  }

  int remaining() {
    return bytes.length - at;
  }

  int int1() throws ProtocolException {
    return (int) fixed(1);
  }

  int int2() throws ProtocolException {
    return (int) fixed(2);
  }

  long int4() throws ProtocolException {
    return fixed(4);
  }

  /** An unsigned little-endian number, or the 64 bits of one. */
  long fixed(int length) throws ProtocolException {
    require(length);
    long value = 0;
    for (int i = 0; i < length; i++) {
      value |= (bytes[at++] & 0xffL) << 8 * i;
    }
    return value;
  }

  long lengthEncoded() throws ProtocolException {
    int first = int1();
    return switch (first) {
      case 0xfc -> fixed(2);
      case 0xfd -> fixed(3);
      case 0xfe -> fixed(8);
      case 0xfb, 0xff -> throw ProtocolException.malformed();
      default -> first;
    };
  }

  byte[] lengthEncodedBytes() throws ProtocolException {
    long length = lengthEncoded();
    if (length < 0 || length > remaining()) {
      throw ProtocolException.malformed();
    }
    return raw((int) length);
  }

  byte[] raw(int length) throws ProtocolException {
    require(length);
    at += length;
    return Arrays.copyOfRange(bytes, at - length, at);
  }

  String zeroEnded() throws ProtocolException {
    int end = at;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    if (end == bytes.length) {
      throw ProtocolException.malformed();
    }
    String text = new String(bytes, at, end - at, StandardCharsets.UTF_8);
    at = end + 1;
    return text;
  }

  /** The text up to the end of the packet. */
  String rest() {
    String text = new String(bytes, at, remaining(), StandardCharsets.UTF_8);
    at = bytes.length;
    return text;
  }

  void skip(int count) throws ProtocolException {
    require(count);
    at += count;
  }

  private void require(int count) throws ProtocolException {
    if (count < 0 || count > remaining()) {
      throw ProtocolException.malformed();
    }
  }
}
