package interregnum.etcd;

import interregnum.runtime.Outcome;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * etcd through the stubs that jetcd generates from etcd's protocol. Any task may call it.
 *
 * <p>jetcd's own client is not used: it repeats writes by itself after some failures, and a
 * repeated transaction finds its own compares broken by its first run. Here a write is sent once.
 * What came of it follows from the reply: a refusal by etcd, or a request that never left this
 * process, is {@link Outcome.Failed}; a lost connection or a missing reply is {@link
 * Outcome.Unknown}.
 *
 * <p>Calls keep to one endpoint until one fails there, then move to the next. A call that certainly
 * did not run, and any read, is tried at the other endpoints within the same timeout.
 */
public final class JetcdEtcd implements Etcd {
  private static final Duration WARM_UP_STEP = Duration.ofSeconds(3);
  private static final Duration WARM_UP_PAUSE = Duration.ofMillis(200);
  private static final String FUTURE_REVISION = "required revision is a future revision";
  private static final long REPLY_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final List<JetcdEndpoint> endpoints = new ArrayList<>();
  private final AtomicInteger current = new AtomicInteger();

  /**
   * @param urls {@code http://host:port} or {@code host:port}, in order of preference
   */
  public JetcdEtcd(List<String> urls) {
    if (urls.isEmpty()) {
      throw new IllegalArgumentException("no etcd endpoint");
    }
    for (String url : urls) {
      endpoints.add(new JetcdEndpoint(url.replaceFirst("^http://", "").replaceFirst("/$", "")));
    }
  }

  /**
   * Opens the connection and loads what the first call needs, which takes a second or two; call it
   * before anything is timed.
   *
   * @return the store's revision, or {@link Outcome.Failed} if no endpoint answered in time
   */
  public Outcome<Long> warmUp(Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      Outcome<Read<Optional<KeyValue>>> outcome = get("/", WARM_UP_STEP);
      if (outcome instanceof Outcome.Done<?> || System.nanoTime() >= deadline) {
        return outcome.map(Read::revision);
      }
      Thread.sleep(WARM_UP_PAUSE.toMillis());
    }
  }

  @Override
  public Outcome<Read<Optional<KeyValue>>> get(String key, Duration timeout)
      throws InterruptedException {
    return read(call -> call.kv().range(JetcdMessages.get(key)), timeout)
        .map(r -> new Read<>(JetcdMessages.first(r), r.getHeader().getRevision()));
  }

  @Override
  public Outcome<Read<List<KeyValue>>> range(KeyRange range, Duration timeout)
      throws InterruptedException {
    Outcome<RangeResponse> outcome = Outcome.failed(FUTURE_REVISION);
    if (range.revision() > 0) {
      // What stood at a past revision never changes, so one member's word is enough, if that member
      // has come so far.
      outcome = read(call -> call.kv().range(JetcdMessages.range(range, true)), timeout);
    }
    if (outcome instanceof Outcome.Failed<?> failed && failed.reason().contains(FUTURE_REVISION)) {
      outcome = read(call -> call.kv().range(JetcdMessages.range(range, false)), timeout);
    }
    return outcome.map(
        r -> new Read<>(JetcdMessages.keyValues(r), r.getHeader().getRevision()));
  }

  @Override
  public Outcome<Long> put(String key, String value, long leaseId, Duration timeout)
      throws InterruptedException {
    return write(call -> call.kv().put(JetcdMessages.put(key, value, leaseId)), timeout)
        .map(r -> r.getHeader().getRevision());
  }

  @Override
  public Outcome<TxnReply> txn(TxnRequest request, Duration timeout) throws InterruptedException {
    io.etcd.jetcd.api.TxnRequest message = JetcdMessages.txn(request);
    return write(call -> call.kv().txn(message), timeout).map(JetcdMessages::reply);
  }

  @Override
  public Outcome<Long> grantLease(Duration ttl, Duration timeout) throws InterruptedException {
    long seconds = ttl.plusNanos(999_999_999).toSeconds();
    LeaseGrantRequest request = LeaseGrantRequest.newBuilder().setTTL(seconds).build();
    return write(call -> call.lease().leaseGrant(request), timeout).map(r -> r.getID());
  }

  @Override
  public Outcome<Duration> keepAlive(long leaseId, Duration timeout) throws InterruptedException {
    return write(call -> keepAliveOnce(call, leaseId), timeout)
        .map(r -> Duration.ofSeconds(Math.max(0, r.getTTL())));
  }

  private static Future<LeaseKeepAliveResponse> keepAliveOnce(Call call, long leaseId) {
    CompletableFuture<LeaseKeepAliveResponse> reply = new CompletableFuture<>();
    StreamObserver<LeaseKeepAliveRequest> requests =
        call.leaseStream()
            .leaseKeepAlive(
                new StreamObserver<>() {
                  @Override
                  public void onNext(LeaseKeepAliveResponse response) {
                    reply.complete(response);
                  }

                  @Override
                  public void onError(Throwable cause) {
                    reply.completeExceptionally(cause);
                  }

                  @Override
                  public void onCompleted() {
                    reply.completeExceptionally(
                        Status.UNAVAILABLE.withDescription("stream completed").asException());
                  }
                });
    requests.onNext(LeaseKeepAliveRequest.newBuilder().setID(leaseId).build());
    requests.onCompleted();
    return reply;
  }

  @Override
  public Outcome<Boolean> revokeLease(long leaseId, Duration timeout) throws InterruptedException {
    LeaseRevokeRequest request = LeaseRevokeRequest.newBuilder().setID(leaseId).build();
    return write(call -> call.lease().leaseRevoke(request), timeout).map(r -> true);
  }

  @Override
  public Watch watch(String prefix, long fromRevision) {
    return endpoints.get(current.get()).watch(prefix, fromRevision);
  }

  @Override
  public void close() {
    endpoints.forEach(JetcdEndpoint::close);
  }

  private <T> Outcome<T> read(Function<Call, Future<T>> request, Duration timeout)
      throws InterruptedException {
    return call(request, false, System.nanoTime() + timeout.toNanos());
  }

  private <T> Outcome<T> write(Function<Call, Future<T>> request, Duration timeout)
      throws InterruptedException {
    return call(request, true, System.nanoTime() + timeout.toNanos());
  }

  private <T> Outcome<T> call(
      Function<Call, Future<T>> request, boolean writes, long deadlineNanos)
      throws InterruptedException {
    String reason = "timeout before the first attempt";
    for (int tries = endpoints.size(); tries > 0; tries--) {
      long left = deadlineNanos - System.nanoTime();
      if (left <= 0) {
        break;
      }
      int index = current.get();
      Call call = new Call(endpoints.get(index), writes || tries == 1 ? left : left / 2);
      Status status;
      Future<T> future = request.apply(call);
      try {
        return Outcome.done(future.get(left + REPLY_GRACE_NANOS, TimeUnit.NANOSECONDS));
      } catch (ExecutionException e) {
        status = Status.fromThrowable(e.getCause());
      } catch (TimeoutException e) {
        status = Status.DEADLINE_EXCEEDED;
      } finally {
        future.cancel(true);
      }
      reason = status.getCode() + ": " + status.getDescription();
      JetcdFailure failure = JetcdFailure.of(status, call.tracer.sent());
      if (failure == JetcdFailure.REFUSED) {
        return Outcome.failed(reason);
      }
      turnAway(index, reason);
      if (failure == JetcdFailure.OPEN && writes) {
        return Outcome.unknown(reason);
      }
    }
    return Outcome.failed(reason);
  }

  private void turnAway(int index, String reason) {
    JetcdEndpoint left = endpoints.get(index);
    left.reconnect();
    if (endpoints.size() > 1 && current.compareAndSet(index, (index + 1) % endpoints.size())) {
      left.endWatches("endpoint left: " + reason);
    }
  }

  /** One attempt of one call at one endpoint. */
  private static final class Call {
    private final JetcdEndpoint endpoint;
    private final long timeoutNanos;
    private final JetcdSendTracer tracer = new JetcdSendTracer();

    Call(JetcdEndpoint endpoint, long timeoutNanos) {
      this.endpoint = endpoint;
      this.timeoutNanos = timeoutNanos;
    }

    KVGrpc.KVFutureStub kv() {
      return endpoint.kv(tracer, timeoutNanos);
    }

    LeaseGrpc.LeaseFutureStub lease() {
      return endpoint.lease(tracer, timeoutNanos);
    }

    LeaseGrpc.LeaseStub leaseStream() {
      return endpoint.leaseStream(tracer, timeoutNanos);
    }
  }
}
