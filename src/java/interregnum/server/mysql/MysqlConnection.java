package interregnum.server.mysql;

import interregnum.error.SqlError;
import interregnum.error.SqlException;
import interregnum.sql.exec.Result;
import interregnum.sql.exec.ResultColumn;
import interregnum.sql.exec.Session;
import interregnum.sql.parser.ParsedStatement;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection. Its own thread runs it; another may ask it to end, which it does between
 * two commands: the client is told that the node is shutting down, and a command that had not begun
 * by then never does.
 */
final class MysqlConnection implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(MysqlConnection.class);
  private static final int PACKET_MAX = 64 * 1024 * 1024;
  private static final int HANDSHAKE_MILLIS = 10_000;
  private static final int DRAIN_MILLIS = 500;

  private enum State {
    IDLE,
    BUSY,
    ENDING
  }

  private final Socket socket;
  private final Session session;
  private final long id;
  private final String version;
  private final byte[] scramble;
  private final AtomicReference<State> state = new AtomicReference<>(State.BUSY);
  private final PreparedStatements prepared = new PreparedStatements();
  private volatile boolean endAsked;
  private PacketChannel channel;
  private ResultWriter results;

  MysqlConnection(Socket socket, Session session, long id, String version, byte[] scramble) {
    this.socket = socket;
    this.session = session;
    this.id = id;
    this.version = version;
    this.scramble = scramble;
  }

  @Override
  public void run() {
    try (socket;
        session) {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(HANDSHAKE_MILLIS);
      channel = new PacketChannel(socket.getInputStream(), socket.getOutputStream());
      results = new ResultWriter(channel);
      if (logIn()) {
        socket.setSoTimeout(0);
        serve();
      }
    } catch (IOException e) {
      LOG.debug("connection-lost :id {} :cause {}", id, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Asks the connection to end once its running command, if any, is answered. */
  void end() {
    endAsked = true;
    if (state.compareAndSet(State.IDLE, State.ENDING)) {
      try {
        sayShutdown();
      } catch (IOException e) {
        LOG.debug("connection-lost :id {} :cause {}", id, e.toString());
      }
    }
  }

  /** Whether a command is being run or answered. */
  boolean isBusy() {
    return state.get() == State.BUSY;
  }

  /** Closes the connection whatever it does. */
  void abort() {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("connection-close-failed :id {} :cause {}", id, e.toString());
    }
  }

  private boolean logIn() throws IOException {
    try {
      Handshake.Client client = new Handshake(channel, scramble).run(id, version);
      if (!client.user().equals("root")) {
        throw SqlError.ACCESS_DENIED.with("Access denied for user '%s'@'%%'", client.user());
      }
      if (!client.database().isEmpty()) {
        session.use(client.database());
      }
      session.countFound((client.capabilities() & Capabilities.FOUND_ROWS) != 0);
      results.done(Result.Done.NOTHING, status());
      channel.flush();
      return true;
    } catch (ProtocolException e) {
      results.error(e.asSqlException());
    } catch (SqlException e) {
      results.error(e);
    }
    finish();
    return false;
  }

  private void serve() throws IOException, InterruptedException {
    boolean more = true;
    while (more) {
      state.set(State.IDLE);
      if (endAsked) {
        end();
      }
      more = channel.awaitPacket() && state.compareAndSet(State.IDLE, State.BUSY) && serveOne();
    }
    if (state.get() == State.ENDING) {
      socket.setSoTimeout(DRAIN_MILLIS);
      channel.drain();
    }
  }

  /** Answers one command; false if it was the last. */
  private boolean serveOne() throws IOException, InterruptedException {
    boolean more;
    try {
      more = command(new PayloadReader(channel.read(PACKET_MAX)));
    } catch (ProtocolException e) {
      results.error(e.asSqlException());
      finish();
      return false;
    } catch (SqlException e) {
      results.error(e);
      more = true;
    } catch (RuntimeException | StackOverflowError e) {
      LOG.error("statement-failed :connection {}", id, e);
      results.error(SqlError.INTERNAL.with("Internal error: %s", e));
      more = true;
    }
    channel.flush();
    return more;
  }

  private boolean command(PayloadReader in)
      throws IOException, InterruptedException, ProtocolException {
    switch (in.int1()) {
      case 0x01:
        return false;
      case 0x02:
        session.use(in.rest());
        ok();
        return true;
      case 0x03:
        answer(session.execute(session.parse(in.rest()), List.of()), false);
        return true;
      case 0x0e:
        ok();
        return true;
      case 0x16:
        prepare(in.rest());
        return true;
      case 0x17:
        execute(in);
        return true;
      case 0x18:
        sendAhead(in);
        return true;
      case 0x19:
        prepared.close(in.int4());
        return true;
      case 0x1a:
        prepared.get(in.int4()).reset();
        ok();
        return true;
      case 0x1b:
        results.columns(List.of(), status());
        return true;
      case 0x1f:
        session.reset();
        prepared.closeAll();
        ok();
        return true;
      default:
        throw SqlError.UNKNOWN_COMMAND.with("Unknown command");
    }
  }

  private void prepare(String sql) throws IOException, InterruptedException {
    ParsedStatement statement = session.parse(sql);
    List<ResultColumn> columns = session.describe(statement);
    results.prepared(
        prepared.add(statement), columns, statement.parameterCount(), status());
  }

  private void execute(PayloadReader in)
      throws IOException, InterruptedException, ProtocolException {
    PreparedStatements.Prepared statement = prepared.get(in.int4());
    in.skip(5);
    List<Object> parameters = statement.parameters(in);
    answer(session.execute(statement.statement(), parameters), true);
  }

  /** Takes data for a parameter. The command has no answer; an execute tells what was wrong. */
  private void sendAhead(PayloadReader in) throws ProtocolException {
    PreparedStatements.Prepared statement;
    try {
      statement = prepared.get(in.int4());
    } catch (SqlException e) {
      throw ProtocolException.malformed();
    }
    int parameter = in.int2();
    statement.sendAhead(parameter, in.raw(in.remaining()), PACKET_MAX);
  }

  private void answer(Result result, boolean binary) throws IOException {
    if (result instanceof Result.Rows rows) {
      results.rows(rows, status(), binary);
    } else {
      results.done((Result.Done) result, status());
    }
  }

  private void ok() throws IOException {
    results.done(Result.Done.NOTHING, status());
  }

  private int status() {
    return (session.isInTransaction() ? ResultWriter.STATUS_IN_TRANSACTION : 0)
        | (session.isAutocommit() ? ResultWriter.STATUS_AUTOCOMMIT : 0);
  }

  private void sayShutdown() throws IOException {
    channel.beginReply();
    results.error(SqlError.SHUTDOWN.with("Server shutdown in progress"));
    channel.flush();
    socket.shutdownOutput();
    socket.setSoTimeout(DRAIN_MILLIS);
  }

  /** Sends what was written and waits for the client to have read it. */
  private void finish() throws IOException {
    channel.flush();
    socket.shutdownOutput();
    socket.setSoTimeout(DRAIN_MILLIS);
    channel.drain();
  }
}
