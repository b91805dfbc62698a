package interregnum.server.mysql;

import interregnum.error.SqlError;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Packets on a connection: three bytes of length, one of sequence, and at most 16 MiB - 1 of
 * payload; a longer payload goes on in the next packet. Used by one thread.
 */
final class PacketChannel {

  private static final int PAYLOAD_MAX = 0xffffff;

  private final InputStream in;
  private final OutputStream out;
  private int sequence;

  PacketChannel(InputStream in, OutputStream out) {
    this.in = new BufferedInputStream(in, 16 * 1024);
    this.out = new BufferedOutputStream(out, 16 * 1024);
  }

  /** Begins an exchange: the next packet written is a reply to the client's first. */
  void beginReply() {
    sequence = 1;
  }

  /** Waits for the first byte of a packet; false at the end of the stream. */
  boolean awaitPacket() throws IOException {
    in.mark(1);
    int first = in.read();
    if (first < 0) {
      return false;
    }
    in.reset();
    return true;
  }

  /** Reads a payload of at most {@code limit} bytes. */
  byte[] read(int limit) throws IOException, ProtocolException {
    ByteArrayOutputStream joined = null;
    while (true) {
      int length = readByte() | readByte() << 8 | readByte() << 16;
      sequence = readByte() + 1;
      int before = joined == null ? 0 : joined.size();
      if (length > limit - before) {
        throw new ProtocolException(
            SqlError.PACKET_TOO_LARGE, "Got a packet bigger than 'max_allowed_packet' bytes");
      }
      byte[] part = in.readNBytes(length);
      if (part.length < length) {
        throw new EOFException();
      }
      if (length < PAYLOAD_MAX && joined == null) {
        return part;
      }
      joined = joined == null ? new ByteArrayOutputStream() : joined;
      joined.write(part);
      if (length < PAYLOAD_MAX) {
        return joined.toByteArray();
      }
    }
  }

  /** Writes a payload; it is sent with the next {@link #flush}, or before. */
  void write(PayloadWriter payload) throws IOException {
    byte[] bytes = payload.bytes();
    int size = payload.size();
    int from = 0;
    int length;
    do {
      length = Math.min(PAYLOAD_MAX, size - from);
      out.write(length);
      out.write(length >> 8);
      out.write(length >> 16);
      out.write(sequence++);
      out.write(bytes, from, length);
      from += length;
    } while (length == PAYLOAD_MAX);
  }

  void flush() throws IOException {
    out.flush();
  }

  /** Reads and drops what the client still sends. */
  void drain() throws IOException {
    while (in.read() >= 0) {
      in.skip(in.available());
    }
  }

  private int readByte() throws IOException {
    int b = in.read();
    if (b < 0) {
      throw new EOFException();
    }
    return b;
  }
}
