package interregnum.server.mysql;

import interregnum.sql.Values;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Values in the binary form, as clients send them for parameters. */
final class BinaryValues {

  private static final int UNSIGNED = 0x8000;

  private BinaryValues() {}

  static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }

  /** A value of the given type: its code, and a bit for unsigned. */
  static Object read(PayloadReader in, int type) throws ProtocolException {
    boolean unsigned = (type & UNSIGNED) != 0;
    return switch (type & 0xff) {
      case 1 -> integer(in, 1, unsigned);
      case 2, 13 -> integer(in, 2, unsigned);
      case 3, 9 -> integer(in, 4, unsigned);
      case 8 -> integer(in, 8, unsigned);
      case 4 -> (double) Float.intBitsToFloat((int) in.int4());
      case 5 -> Double.longBitsToDouble(in.fixed(8));
      case 6 -> null;
      case 7, 10, 12 -> dateTime(in);
      case 11 -> time(in);
      case 0, 15, 16, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254 ->
          text(in.lengthEncodedBytes());
      default -> throw ProtocolException.malformed();
    };
  }

  private static Object integer(PayloadReader in, int bytes, boolean unsigned)
      throws ProtocolException {
    long value = in.fixed(bytes);
    if (bytes == 8) {
      return Values.ofBits(value, unsigned);
    }
    int shift = 64 - 8 * bytes;
    return unsigned ? value : value << shift >> shift;
  }

  private static String dateTime(PayloadReader in) throws ProtocolException {
    int length = in.int1();
    PayloadReader parts = new PayloadReader(in.raw(length));
    int year = length >= 4 ? parts.int2() : 0;
    int month = length >= 4 ? parts.int1() : 0;
    int day = length >= 4 ? parts.int1() : 0;
    String date = String.format(Locale.ROOT, "%04d-%02d-%02d", year, month, day);
    return length < 7 ? date : date + " " + clock(parts, length >= 11);
  }

  private static String time(PayloadReader in) throws ProtocolException {
    int length = in.int1();
    PayloadReader parts = new PayloadReader(in.raw(length));
    if (length < 8) {
      return "00:00:00";
    }
    String sign = parts.int1() == 1 ? "-" : "";
    long days = parts.int4();
    return sign + (days == 0 ? "" : days + " ") + clock(parts, length >= 12);
  }

  private static String clock(PayloadReader parts, boolean micros) throws ProtocolException {
    String time =
        String.format(
            Locale.ROOT, "%02d:%02d:%02d", parts.int1(), parts.int1(), parts.int1());
    return micros ? time + String.format(Locale.ROOT, ".%06d", parts.int4()) : time;
  }
}
