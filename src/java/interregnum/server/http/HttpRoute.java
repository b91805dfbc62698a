package interregnum.server.http;

import java.util.List;

/**
 * A path of the status API.
 *
 * @param methods HTTP's methods that it takes
 * @param path the path; a part {@code {}} stands for any text and is given to the handler
 */
public record HttpRoute(List<String> methods, String path, Handler handler) {

  /**
   * A request.
   *
   * @param parts what stood for each {@code {}} of the path, in order
   */
  public record Request(String method, List<String> parts, String body) {}

  /** Answers a request. */
  @FunctionalInterface
  public interface Handler {
    HttpReply handle(Request request) throws InterruptedException;
  }

  /** A path that is only read. */
  public static HttpRoute get(String path, Handler handler) {
    return new HttpRoute(List.of("GET"), path, handler);
  }

  /** A path that does something, for which people also use GET. */
  public static HttpRoute action(String path, Handler handler) {
    return new HttpRoute(List.of("GET", "POST"), path, handler);
  }
}
