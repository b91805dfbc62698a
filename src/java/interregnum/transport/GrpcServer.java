package interregnum.transport;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the requests that {@link GrpcTransport} sends, on one port.
 *
 * <p>Handlers run on a bounded pool of named threads. A request that finds pool and queue full is
 * refused before it runs. Bytes that are not gRPC end their connection and nothing else. Closing
 * stops listening, interrupts running handlers, and waits for them a bounded time.
 */
public final class GrpcServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(GrpcServer.class);
  private static final Limits LIMITS = new Limits(64, 1_024);
  private static final int CLOSE_SECONDS = 2;

  private final Server server;
  private final ThreadPoolExecutor pool;

  /**
   * Starts to listen.
   *
   * @param port 0 for any free one
   * @param handlers by method name
   * @throws IOException if the address cannot be bound
   */
  public GrpcServer(String host, int port, Map<String, RequestHandler> handlers)
      throws IOException {
    this(new InetSocketAddress(host, port), handlers, LIMITS);
  }

  GrpcServer(InetSocketAddress address, Map<String, RequestHandler> handlers, Limits limits)
      throws IOException {
    pool = pool(limits);
    ServerServiceDefinition.Builder service =
        ServerServiceDefinition.builder(GrpcMethods.SERVICE);
    handlers.forEach(
        (method, handler) ->
            service.addMethod(GrpcMethods.descriptor(method), new Dispatch(method, handler)));
    try {
      server =
          NettyServerBuilder.forAddress(address)
              .directExecutor()
              .maxInboundMessageSize(GrpcMethods.MESSAGE_BYTES_MAX)
              .addService(service.build())
              .build()
              .start();
    } catch (IOException e) {
      pool.shutdownNow();
      throw e;
    }
  }

  private static ThreadPoolExecutor pool(Limits limits) {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor made =
        new ThreadPoolExecutor(
            limits.threads(),
            limits.threads(),
            60,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(limits.queueLength()),
            body -> new Thread(body, "peer-request-" + number.incrementAndGet()));
    made.allowCoreThreadTimeOut(true);
    return made;
  }

  /** The port that it listens on. */
  public int port() {
    return server.getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
    pool.shutdownNow();
    try {
      boolean ended =
          server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)
              && pool.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
      if (!ended) {
        LOG.warn("peer-server-still-busy :seconds {}", CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** How many requests run at a time, and how many may wait for that. */
  record Limits(int threads, int queueLength) {}

  private final class Dispatch implements ServerCallHandler<byte[], byte[]> {
    private final String method;
    private final RequestHandler handler;

    Dispatch(String method, RequestHandler handler) {
      this.method = method;
      this.handler = handler;
    }

    @Override
    public ServerCall.Listener<byte[]> startCall(
        ServerCall<byte[], byte[]> call, Metadata headers) {
      call.request(2);
      return new ServerCall.Listener<>() {
        private byte[] request;

        @Override
        public void onMessage(byte[] message) {
          request = message;
        }

        @Override
        public void onHalfClose() {
          if (request == null) {
            end(call, Status.INVALID_ARGUMENT.withDescription("no request"), GrpcMethods.REFUSED);
          } else {
            enqueue(call, request);
          }
        }
      };
    }

    private void enqueue(ServerCall<byte[], byte[]> call, byte[] request) {
      try {
        pool.execute(() -> run(call, request));
      } catch (RejectedExecutionException e) {
        end(call, Status.RESOURCE_EXHAUSTED.withDescription("too busy"), GrpcMethods.REFUSED);
      }
    }

    private void run(ServerCall<byte[], byte[]> call, byte[] request) {
      byte[] reply;
      try {
        reply = handler.handle(request);
      } catch (RequestRefusedException e) {
        end(call, Status.INVALID_ARGUMENT.withDescription(e.getMessage()), GrpcMethods.REFUSED);
        return;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        end(call, Status.UNAVAILABLE.withDescription("shutting down"), GrpcMethods.HANDLER_FAILED);
        return;
      } catch (Throwable e) {
        LOG.error("peer-request-failed :method {}", method, e);
        end(call, Status.INTERNAL.withDescription(e.toString()), GrpcMethods.HANDLER_FAILED);
        return;
      }
      call.sendHeaders(new Metadata());
      call.sendMessage(reply);
      call.close(Status.OK, new Metadata());
    }

    private void end(ServerCall<byte[], byte[]> call, Status status, String verdict) {
      Metadata trailers = new Metadata();
      trailers.put(GrpcMethods.VERDICT, verdict);
      call.close(status, trailers);
    }
  }
}
