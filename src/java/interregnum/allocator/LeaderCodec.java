package interregnum.allocator;

import interregnum.transport.RequestRefusedException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * The allocator's messages as bytes: a tag where there is a choice, then the fields in order;
 * numbers big-endian, text as UTF-8 with its length in front.
 */
final class LeaderCodec {

  private static final byte GRANTED = 1;
  private static final byte MOVED = 2;
  private static final byte EXHAUSTED = 3;
  private static final byte NOT_LEADER = 4;
  private static final byte FAILED = 5;
  private static final byte UNKNOWN = 6;

  private LeaderCodec() {}

  static byte[] encode(AllocRequest request) {
    return ByteBuffer.allocate(21)
        .putLong(request.tableId())
        .putInt(request.n())
        .putInt(request.spacing().increment())
        .putInt(request.spacing().offset())
        .put(flag(request.unsigned()))
        .array();
  }

  static AllocRequest decodeAlloc(byte[] bytes) {
    return decode(
        bytes,
        in ->
            new AllocRequest(
                in.getLong(), in.getInt(), new Spacing(in.getInt(), in.getInt()), flag(in)));
  }

  static byte[] encode(RebaseRequest request) {
    byte[] id = request.requestId().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(22 + id.length)
        .putLong(request.tableId())
        .putLong(request.base())
        .put(flag(request.force()))
        .put(flag(request.unsigned()))
        .putInt(id.length)
        .put(id)
        .array();
  }

  static RebaseRequest decodeRebase(byte[] bytes) {
    return decode(
        bytes,
        in -> new RebaseRequest(in.getLong(), in.getLong(), flag(in), flag(in), text(in)));
  }

  static byte[] encode(LeaderReply reply) {
    if (reply instanceof LeaderReply.Granted granted) {
      return ByteBuffer.allocate(25)
          .put(GRANTED)
          .putLong(granted.min())
          .putLong(granted.max())
          .putLong(granted.term())
          .array();
    }
    if (reply instanceof LeaderReply.Moved moved) {
      return ByteBuffer.allocate(9).put(MOVED).putLong(moved.term()).array();
    }
    if (reply instanceof LeaderReply.Failed failed) {
      return withText(FAILED, failed.reason());
    }
    if (reply instanceof LeaderReply.Unknown unknown) {
      return withText(UNKNOWN, unknown.reason());
    }
    return new byte[] {reply instanceof LeaderReply.Exhausted ? EXHAUSTED : NOT_LEADER};
  }

  static LeaderReply decodeReply(byte[] bytes) {
    return decode(
        bytes,
        in ->
            switch (in.get()) {
              case GRANTED -> new LeaderReply.Granted(in.getLong(), in.getLong(), in.getLong());
              case MOVED -> new LeaderReply.Moved(in.getLong());
              case EXHAUSTED -> new LeaderReply.Exhausted();
              case NOT_LEADER -> new LeaderReply.NotLeader();
              case FAILED -> new LeaderReply.Failed(text(in));
              case UNKNOWN -> new LeaderReply.Unknown(text(in));
              default -> throw new IllegalArgumentException("no such reply");
            });
  }

  private static byte[] withText(byte tag, String text) {
    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(5 + encoded.length)
        .put(tag)
        .putInt(encoded.length)
        .put(encoded)
        .array();
  }

  private static String text(ByteBuffer in) {
    int length = in.getInt();
    if (length < 0 || length > in.remaining()) {
      throw new IllegalArgumentException("text of " + length + " bytes");
    }
    byte[] encoded = new byte[length];
    in.get(encoded);
    return new String(encoded, StandardCharsets.UTF_8);
  }

  private static byte flag(boolean value) {
    return (byte) (value ? 1 : 0);
  }

  private static boolean flag(ByteBuffer in) {
    return in.get() != 0;
  }

  /**
   * Reads a whole message.
   *
   * @throws RequestRefusedException if the bytes are not one
   */
  private static <T> T decode(byte[] bytes, Function<ByteBuffer, T> reader) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    T message;
    try {
      message = reader.apply(in);
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw new RequestRefusedException("malformed message: " + e.getMessage());
    }
    if (in.hasRemaining()) {
      throw new RequestRefusedException("malformed message: " + in.remaining() + " bytes too many");
    }
    return message;
  }
}
