package interregnum.transport;

import interregnum.runtime.Outcome;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Requests over gRPC, one connection per address, kept between calls.
 *
 * <p>A call on a connection that has failed throws the connection away, so that the next call dials
 * afresh instead of waiting for gRPC's own back-off: a node is reachable as soon as it listens
 * again. Pacing retries is the caller's business.
 *
 * <p>A request certainly did not run if no stream was ever opened for it, if the serving node says
 * that it refused it, or if it has no such method. All other failures leave the outcome unknown.
 *
 * <p>Safe for use by any thread. Closing ends running calls.
 */
public final class GrpcTransport implements Transport, AutoCloseable {

  private static final int CONNECT_TIMEOUT_MS = 1_000;
  private static final int PORT_MAX = 65_535;

  /** How much longer than its deadline to wait for gRPC to report that a call ran out of time. */
  private static final Duration REPORT_SLACK = Duration.ofSeconds(1);

  private final ConcurrentHashMap<String, ManagedChannel> channels = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, MethodDescriptor<byte[], byte[]>> methods =
      new ConcurrentHashMap<>();
  private volatile boolean closed;

  @Override
  public Outcome<byte[]> call(String address, String method, byte[] request, Duration timeout)
      throws InterruptedException {
    if (closed) {
      return Outcome.failed("the transport is closed");
    }
    ManagedChannel channel;
    try {
      channel = channels.computeIfAbsent(address, GrpcTransport::connect);
    } catch (IllegalArgumentException e) {
      return Outcome.failed("not an address: " + address);
    }
    SendTracer tracer = new SendTracer();
    ClientCall<byte[], byte[]> call =
        channel.newCall(
            methods.computeIfAbsent(method, GrpcMethods::descriptor),
            CallOptions.DEFAULT
                .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS)
                .withStreamTracerFactory(tracer));
    try {
      return Outcome.done(send(call, request, timeout));
    } catch (StatusRuntimeException e) {
      discardIfBroken(address, channel, e.getStatus().getCode());
      return failure(address + " " + method + ": ", e, tracer.sent);
    }
  }

  private static byte[] send(ClientCall<byte[], byte[]> call, byte[] request, Duration timeout)
      throws InterruptedException {
    ReplyListener listener = new ReplyListener();
    call.start(listener, new Metadata());
    call.request(2);
    call.sendMessage(request);
    call.halfClose();
    try {
      return listener.reply.get(timeout.plus(REPORT_SLACK).toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw (StatusRuntimeException) e.getCause();
    } catch (TimeoutException e) {
      call.cancel("no report of the deadline", e);
      throw Status.DEADLINE_EXCEEDED.withCause(e).asRuntimeException();
    } catch (InterruptedException e) {
      call.cancel("the calling task was cancelled", e);
      throw e;
    }
  }

  private static Outcome<byte[]> failure(String prefix, StatusRuntimeException e, boolean sent) {
    Status status = e.getStatus();
    Metadata trailers = e.getTrailers();
    String verdict = trailers == null ? null : trailers.get(GrpcMethods.VERDICT);
    String reason = prefix + describe(status);
    if (!sent
        || GrpcMethods.REFUSED.equals(verdict)
        || status.getCode() == Status.Code.UNIMPLEMENTED) {
      return Outcome.failed(reason);
    }
    return Outcome.unknown(
        GrpcMethods.HANDLER_FAILED.equals(verdict) ? reason + " (the handler failed)" : reason);
  }

  private static String describe(Status status) {
    Throwable cause = status.getCause();
    String text = status.getCode() + " " + status.getDescription();
    return cause == null ? text : text + " (" + cause.getMessage() + ")";
  }

  /** Drops a connection that is down, or that may be a black hole; its other calls may end. */
  private void discardIfBroken(String address, ManagedChannel channel, Status.Code code) {
    if ((code == Status.Code.UNAVAILABLE || code == Status.Code.DEADLINE_EXCEEDED)
        && channels.remove(address, channel)) {
      channel.shutdown();
    }
  }

  private static ManagedChannel connect(String address) {
    int colon = address.lastIndexOf(':');
    if (colon < 1) {
      throw new IllegalArgumentException("address=" + address);
    }
    int port = Integer.parseInt(address.substring(colon + 1));
    if (port < 1 || port > PORT_MAX) {
      throw new IllegalArgumentException("address=" + address);
    }
    return NettyChannelBuilder.forAddress(address.substring(0, colon), port)
        .usePlaintext()
        .directExecutor()
        .disableRetry()
        .proxyDetector(target -> null)
        .maxInboundMessageSize(GrpcMethods.MESSAGE_BYTES_MAX)
        .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MS)
        .build();
  }

  @Override
  public void close() {
    closed = true;
    channels.values().forEach(ManagedChannel::shutdownNow);
    channels.clear();
  }

  /** Notes whether a call got as far as a stream on a live connection. */
  private static final class SendTracer extends ClientStreamTracer.Factory {
    private volatile boolean sent;

    @Override
    public ClientStreamTracer newClientStreamTracer(
        ClientStreamTracer.StreamInfo info, Metadata headers) {
      return new ClientStreamTracer() {
        @Override
        public void streamCreated(Attributes transportAttributes, Metadata sentHeaders) {
          sent = true;
        }
      };
    }
  }

  private static final class ReplyListener extends ClientCall.Listener<byte[]> {
    private final CompletableFuture<byte[]> reply = new CompletableFuture<>();
    private byte[] message;

    @Override
    public void onMessage(byte[] received) {
      message = received;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (status.isOk() && message != null) {
        reply.complete(message);
      } else {
        Status failure = status.isOk() ? Status.INTERNAL.withDescription("no reply") : status;
        reply.completeExceptionally(failure.asRuntimeException(trailers));
      }
    }
  }
}
