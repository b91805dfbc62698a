package interregnum.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import interregnum.error.SqlError;
import interregnum.runtime.Outcome;
import java.util.function.Function;

/**
 * What a request is answered with.
 *
 * @param status HTTP's
 * @param json whether the body is JSON; plain text otherwise
 */
public record HttpReply(int status, boolean json, String body) {

  /** Success with JSON. */
  public static HttpReply ok(JsonNode body) {
    return new HttpReply(200, true, body.toString());
  }

  /** Success with plain text. */
  public static HttpReply text(String body) {
    return new HttpReply(200, false, body);
  }

  /** There is no such thing. */
  public static HttpReply notFound(String message) {
    return error(404, 404, true, message);
  }

  /** The request makes no sense. */
  public static HttpReply badRequest(String message) {
    return error(400, 400, true, message);
  }

  /** The path knows no such method. */
  static HttpReply badMethod(String message) {
    return error(405, 405, true, message);
  }

  /** The node failed; nobody knows whether the request had an effect. */
  static HttpReply failed(String message) {
    return error(500, SqlError.INTERNAL.code(), SqlError.INTERNAL.isDefinite(), message);
  }

  /** What came of asking the outside world. */
  public static <T> HttpReply of(Outcome<T> outcome, Function<T, HttpReply> done) {
    if (outcome instanceof Outcome.Done<T> d) {
      return done.apply(d.value());
    } else if (outcome instanceof Outcome.Failed<T> failed) {
      return error(503, SqlError.STORE_UNREACHABLE.code(), true, failed.reason());
    }
    String reason = ((Outcome.Unknown<T>) outcome).reason();
    return error(504, SqlError.UNDETERMINED.code(), false, reason);
  }

  private static HttpReply error(int status, int code, boolean definite, String message) {
    String body =
        JsonNodeFactory.instance
            .objectNode()
            .put("code", code)
            .put("definite", definite)
            .put("message", message)
            .toString();
    return new HttpReply(status, true, body);
  }
}
