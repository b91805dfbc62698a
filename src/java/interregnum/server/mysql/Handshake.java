package interregnum.server.mysql;

import interregnum.error.SqlError;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;

/**
 * Greets a client and learns who it is. The only user is {@code root}, with any password: the
 * exchange of scrambles is kept because clients insist on it.
 */
final class Handshake {

  /**
   * What the client said.
   *
   * @param database the one it wants to use, empty for none
   */
  record Client(int capabilities, String user, String database) {}

  private static final String PLUGIN = "mysql_native_password";
  private static final int SCRAMBLE_LENGTH = 20;
  private static final int UTF8MB4_BIN = 46;
  private static final int PACKET_MAX = 64 * 1024;

  private final PacketChannel channel;
  private final byte[] scramble;

  /** A handshake; {@code scramble} has twenty bytes, none of them zero. */
  Handshake(PacketChannel channel, byte[] scramble) {
    if (scramble.length != SCRAMBLE_LENGTH) {
      throw new IllegalArgumentException("scramble.length=" + scramble.length);
    }
    this.channel = channel;
    this.scramble = scramble;
  }

  Client run(long connectionId, String version) throws IOException, ProtocolException {
    greet(connectionId, version);
    if (!channel.awaitPacket()) {
      throw new EOFException();
    }
    PayloadReader reply = new PayloadReader(channel.read(PACKET_MAX));
    int capabilities;
    try {
      capabilities = (int) reply.int4();
      if ((capabilities & Capabilities.PROTOCOL_41) == 0) {
        throw ProtocolException.malformed();
      }
      return identify(capabilities, reply);
    } catch (ProtocolException e) {
      throw new ProtocolException(SqlError.BAD_HANDSHAKE, "Bad handshake");
    }
  }

  private void greet(long connectionId, String version) throws IOException {
    PayloadWriter greeting =
        new PayloadWriter()
            .int1(10)
            .zeroEnded(version)
            .int4(connectionId)
            .raw(Arrays.copyOf(scramble, 8))
            .int1(0)
            .int2(Capabilities.SERVER)
            .int1(UTF8MB4_BIN)
            .int2(ResultWriter.STATUS_AUTOCOMMIT)
            .int2(Capabilities.SERVER >>> 16)
            .int1(SCRAMBLE_LENGTH + 1)
            .zeros(10)
            .raw(Arrays.copyOfRange(scramble, 8, SCRAMBLE_LENGTH))
            .int1(0)
            .zeroEnded(PLUGIN);
    channel.write(greeting);
    channel.flush();
  }

  private Client identify(int capabilities, PayloadReader reply)
      throws IOException, ProtocolException {
    reply.skip(4 + 1 + 23);
    String user = reply.zeroEnded();
    if ((capabilities & Capabilities.PLUGIN_AUTH_LENGTH_ENCODED) != 0) {
      reply.lengthEncodedBytes();
    } else if ((capabilities & Capabilities.SECURE_CONNECTION) != 0) {
      reply.raw(reply.int1());
    } else {
      reply.zeroEnded();
    }
    boolean hasDatabase =
        (capabilities & Capabilities.CONNECT_WITH_DB) != 0 && reply.remaining() > 0;
    String database = hasDatabase ? reply.zeroEnded() : "";
    boolean hasPlugin = (capabilities & Capabilities.PLUGIN_AUTH) != 0 && reply.remaining() > 0;
    if (hasPlugin && !reply.zeroEnded().equals(PLUGIN)) {
      switchPlugin();
    }
    return new Client(capabilities, user, database);
  }

  private void switchPlugin() throws IOException, ProtocolException {
    channel.write(new PayloadWriter().int1(0xfe).zeroEnded(PLUGIN).raw(scramble).int1(0));
    channel.flush();
    channel.read(PACKET_MAX);
  }
}
