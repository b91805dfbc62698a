package interregnum.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A watch on one stream of its own. The stream's first trouble of any kind ends it. */
final class JetcdWatch implements Watch, ClientResponseObserver<WatchRequest, WatchResponse> {
  private final Consumer<JetcdWatch> onEnd;
  private final LinkedBlockingQueue<WatchEvent> events = new LinkedBlockingQueue<>();

  /** Guards the two fields below and the order of {@link #events}. */
  private final Object lock = new Object();

  private ClientCallStreamObserver<WatchRequest> requests;
  private boolean ended;

  JetcdWatch(Consumer<JetcdWatch> onEnd) {
    this.onEnd = onEnd;
  }

  /** Others may end the watch while it starts, of which gRPC complains to whoever sends. */
  void start(WatchGrpc.WatchStub stub, String prefix, long fromRevision) {
    ByteString end = JetcdMessages.bytes(KeyRange.prefixEnd(prefix));
    WatchRequest request =
        WatchRequest.newBuilder()
            .setCreateRequest(
                WatchCreateRequest.newBuilder()
                    .setKey(JetcdMessages.bytes(prefix))
                    .setRangeEnd(end)
                    .setStartRevision(fromRevision))
            .build();
    try {
      stub.watch(this).onNext(request);
    } catch (IllegalStateException e) {
      end("not started: " + e.getMessage());
    }
    cancelIfEnded();
  }

  /** For a watch that was ended before its stream was known. */
  private void cancelIfEnded() {
    ClientCallStreamObserver<WatchRequest> stream;
    synchronized (lock) {
      stream = ended ? requests : null;
    }
    if (stream != null) {
      stream.cancel("ended", null);
    }
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<WatchRequest> requestStream) {
    synchronized (lock) {
      requests = requestStream;
    }
  }

  @Override
  public void onNext(WatchResponse response) {
    synchronized (lock) {
      for (Event event : response.getEventsList()) {
        if (!ended) {
          events.add(JetcdMessages.event(event));
        }
      }
    }
    if (response.getCompactRevision() != 0) {
      end("compacted up to revision " + response.getCompactRevision());
    } else if (response.getCanceled()) {
      end("cancelled: " + response.getCancelReason());
    }
  }

  @Override
  public void onError(Throwable cause) {
    end(Status.fromThrowable(cause).toString());
  }

  @Override
  public void onCompleted() {
    end("completed");
  }

  @Override
  public Optional<WatchEvent> poll(Duration limit) throws InterruptedException {
    return Optional.ofNullable(events.poll(limit.toNanos(), TimeUnit.NANOSECONDS));
  }

  @Override
  public void close() {
    end("closed");
  }

  void end(String reason) {
    ClientCallStreamObserver<WatchRequest> stream;
    synchronized (lock) {
      if (ended) {
        return;
      }
      ended = true;
      events.add(new WatchEvent.Ended(reason));
      stream = requests;
    }
    onEnd.accept(this);
    if (stream != null) {
      stream.cancel(reason, null);
    }
  }
}
