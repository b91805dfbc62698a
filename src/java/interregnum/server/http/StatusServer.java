package interregnum.server.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves routes over HTTP on a small pool of threads. Whatever goes wrong is answered with JSON
 * {@code {code, definite, message}}. Closing stops listening and interrupts running handlers.
 */
public final class StatusServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StatusServer.class);
  private static final int THREADS = 16;
  private static final int QUEUE_LENGTH = 64;
  private static final int BODY_MAX = 64 * 1024;

  private final HttpServer server;
  private final ThreadPoolExecutor pool;
  private final List<HttpRoute> routes;

  /**
   * Binds the address; {@link #start} begins to serve.
   *
   * @param port 0 for any free one
   * @throws IOException if the address cannot be bound
   */
  public StatusServer(String host, int port, List<HttpRoute> routes) throws IOException {
    this.routes = List.copyOf(routes);
    server = HttpServer.create(new InetSocketAddress(host, port), QUEUE_LENGTH);
    AtomicInteger number = new AtomicInteger();
    pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUE_LENGTH),
            body -> {
              Thread thread = new Thread(body, "status-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    server.setExecutor(pool);
    server.createContext("/", this::serve);
  }

  /** Begins to answer. */
  public void start() {
    server.start();
  }

  /** The port that it listens on. */
  public int port() {
    return server.getAddress().getPort();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      send(exchange, reply(exchange));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private HttpReply reply(HttpExchange exchange) throws IOException, InterruptedException {
    String path = exchange.getRequestURI().getRawPath();
    String method = exchange.getRequestMethod();
    String body;
    try (InputStream in = exchange.getRequestBody()) {
      byte[] bytes = in.readNBytes(BODY_MAX + 1);
      if (bytes.length > BODY_MAX) {
        return HttpReply.badRequest("the body is too large");
      }
      body = new String(bytes, StandardCharsets.UTF_8);
    }
    boolean known = false;
    for (HttpRoute route : routes) {
      Optional<List<String>> parts = match(route.path(), path);
      known |= parts.isPresent();
      if (parts.isPresent() && route.methods().contains(method)) {
        return handle(route, new HttpRoute.Request(method, parts.get(), body));
      }
    }
    return known
        ? HttpReply.badMethod(method + " is not for " + path)
        : HttpReply.notFound("no path " + path);
  }

  private static HttpReply handle(HttpRoute route, HttpRoute.Request request)
      throws InterruptedException {
    try {
      return route.handler().handle(request);
    } catch (RuntimeException e) {
      LOG.error("request-failed path={}", route.path(), e);
      return HttpReply.failed(e.toString());
    }
  }

  private static Optional<List<String>> match(String pattern, String path) {
    String[] wanted = pattern.split("/", -1);
    String[] given = path.split("/", -1);
    if (wanted.length != given.length) {
      return Optional.empty();
    }
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < wanted.length; i++) {
      if (wanted[i].equals("{}") && !given[i].isEmpty()) {
        parts.add(decoded(given[i]));
      } else if (!wanted[i].equals(given[i])) {
        return Optional.empty();
      }
    }
    return Optional.of(parts);
  }

  private static String decoded(String part) {
    try {
      return URLDecoder.decode(part, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return part;
    }
  }

  private static void send(HttpExchange exchange, HttpReply reply) throws IOException {
    byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
    String type = reply.json() ? "application/json" : "text/plain; charset=utf-8";
    exchange.getResponseHeaders().set("Content-Type", type);
    boolean empty = bytes.length == 0 || exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(reply.status(), empty ? -1 : bytes.length);
    if (!empty) {
      exchange.getResponseBody().write(bytes);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    pool.shutdownNow();
  }
}
