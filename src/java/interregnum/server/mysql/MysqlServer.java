package interregnum.server.mysql;

import interregnum.error.SqlError;
import interregnum.runtime.Randomness;
import interregnum.runtime.Runtime;
import interregnum.sql.exec.SqlEngine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for MySQL clients and gives each a thread. Closing it stops listening, lets running
 * commands be answered within a bound, tells idle clients, and closes all connections.
 */
public final class MysqlServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(MysqlServer.class);
  private static final int CONNECTIONS_MAX = 500;
  private static final int BACKLOG = 128;
  private static final int CLOSE_IDLE_MILLIS = 300;
  private static final int CLOSE_BUSY_MILLIS = 2_000;

  private final ServerSocket listener;
  private final SqlEngine engine;
  private final String version;
  private final Randomness randomness;
  private final Map<Thread, MysqlConnection> connections = new ConcurrentHashMap<>();
  private final Thread acceptor = new Thread(this::accept, "mysql-acceptor");
  private long lastId;

  /**
   * Binds the address; {@link #start} begins to serve.
   *
   * @param port 0 for any free one
   * @param version what clients are told
   * @throws IOException if the address cannot be bound
   */
  public MysqlServer(String host, int port, SqlEngine engine, String version, Runtime runtime)
      throws IOException {
    this.engine = engine;
    this.version = version;
    this.randomness = runtime.randomness("mysql scramble");
    listener = new ServerSocket();
    try {
      listener.setReuseAddress(true);
      listener.bind(new InetSocketAddress(InetAddress.getByName(host), port), BACKLOG);
    } catch (IOException e) {
      listener.close();
      throw e;
    }
    acceptor.setDaemon(true);
  }

  /** Begins to accept clients. */
  public void start() {
    acceptor.start();
  }

  /** The port that it listens on. */
  public int port() {
    return listener.getLocalPort();
  }

  /** How many clients are connected. */
  public int connections() {
    return connections.size();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        serve(listener.accept());
      } catch (IOException e) {
        if (!listener.isClosed()) {
          LOG.warn("accept-failed :cause {}", e.toString());
          pause();
        }
      }
    }
  }

  /** Out of file handles, most likely: accepting again at once would only fail again. */
  private static void pause() {
    try {
      Thread.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(Socket socket) throws IOException {
    if (connections.size() >= CONNECTIONS_MAX) {
      refuse(socket);
      return;
    }
    long id = ++lastId;
    MysqlConnection connection =
        new MysqlConnection(socket, engine.session(id), id, version, scramble());
    Thread thread = new Thread(() -> run(connection), "mysql-" + id);
    thread.setDaemon(true);
    connections.put(thread, connection);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      connections.remove(thread);
      refuse(socket);
    }
  }

  private void run(MysqlConnection connection) {
    try {
      connection.run();
    } catch (RuntimeException | Error e) {
      LOG.error("connection-failed", e);
    } finally {
      connections.remove(Thread.currentThread());
    }
  }

  private static void refuse(Socket socket) {
    try (socket) {
      PacketChannel channel =
          new PacketChannel(socket.getInputStream(), socket.getOutputStream());
      new ResultWriter(channel)
          .earlyError(SqlError.TOO_MANY_CONNECTIONS.with("Too many connections"));
      channel.flush();
      socket.shutdownOutput();
    } catch (IOException e) {
      LOG.debug("refusal-failed :cause {}", e.toString());
    }
  }

  private byte[] scramble() {
    byte[] bytes = new byte[20];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (1 + randomness.nextInt(127));
    }
    return bytes;
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      LOG.warn("listener-close-failed :cause {}", e.toString());
    }
    List<Map.Entry<Thread, MysqlConnection>> open = List.copyOf(connections.entrySet());
    open.forEach(entry -> entry.getValue().end());
    long now = System.nanoTime();
    try {
      for (Map.Entry<Thread, MysqlConnection> entry : open) {
        join(entry.getKey(), now + CLOSE_IDLE_MILLIS * 1_000_000L);
        if (!entry.getValue().isBusy()) {
          entry.getValue().abort();
        }
      }
      for (Map.Entry<Thread, MysqlConnection> entry : open) {
        join(entry.getKey(), now + CLOSE_BUSY_MILLIS * 1_000_000L);
        entry.getValue().abort();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void join(Thread thread, long deadlineNanos) throws InterruptedException {
    thread.join(Math.max(1, (deadlineNanos - System.nanoTime()) / 1_000_000));
  }
}
