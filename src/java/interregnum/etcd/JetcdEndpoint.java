package interregnum.etcd;

import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.WatchGrpc;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.netty.channel.ChannelOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The channel to one etcd member. Every call asks the member to refuse if it knows of no Raft
 * leader, so that a member cut off from the others says so instead of letting the call run out of
 * time.
 */
final class JetcdEndpoint {
  private static final int MAX_REPLY_BYTES = 64 << 20;
  private static final int CONNECT_TIMEOUT_MILLIS = 2_000;
  // etcd drops clients that ping more often than every five seconds.
  private static final int PING_SECONDS = 6;
  private static final int PING_TIMEOUT_SECONDS = 3;
  private static final Metadata.Key<String> REQUIRE_LEADER =
      Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

  private final ManagedChannel managedChannel;
  private final Channel channel;
  private final Set<JetcdWatch> watches = ConcurrentHashMap.newKeySet();

  /**
   * @param address {@code host:port}
   */
  JetcdEndpoint(String address) {
    managedChannel =
        NettyChannelBuilder.forTarget("dns:///" + address)
            .usePlaintext()
            .directExecutor()
            .disableRetry()
            .maxInboundMessageSize(MAX_REPLY_BYTES)
            .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
            .keepAliveTime(PING_SECONDS, TimeUnit.SECONDS)
            .keepAliveTimeout(PING_TIMEOUT_SECONDS, TimeUnit.SECONDS)
            .build();
    Metadata headers = new Metadata();
    headers.put(REQUIRE_LEADER, "true");
    channel =
        ClientInterceptors.intercept(
            managedChannel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  KVGrpc.KVFutureStub kv(JetcdSendTracer tracer, long timeoutNanos) {
    return KVGrpc.newFutureStub(channel)
        .withDeadlineAfter(timeoutNanos, TimeUnit.NANOSECONDS)
        .withInterceptors(tracer);
  }

  LeaseGrpc.LeaseFutureStub lease(JetcdSendTracer tracer, long timeoutNanos) {
    return LeaseGrpc.newFutureStub(channel)
        .withDeadlineAfter(timeoutNanos, TimeUnit.NANOSECONDS)
        .withInterceptors(tracer);
  }

  LeaseGrpc.LeaseStub leaseStream(JetcdSendTracer tracer, long timeoutNanos) {
    return LeaseGrpc.newStub(channel)
        .withDeadlineAfter(timeoutNanos, TimeUnit.NANOSECONDS)
        .withInterceptors(tracer);
  }

  JetcdWatch watch(String prefix, long fromRevision) {
    JetcdWatch watch = new JetcdWatch(watches::remove);
    watches.add(watch);
    watch.start(WatchGrpc.newStub(channel), prefix, fromRevision);
    return watch;
  }

  /** Ends the watches of a member that calls have turned away from. */
  void endWatches(String reason) {
    for (JetcdWatch watch : watches) {
      watch.end(reason);
    }
  }

  /** Makes the next call connect at once instead of sitting out the channel's back-off. */
  void reconnect() {
    managedChannel.resetConnectBackoff();
  }

  void close() {
    endWatches("closed");
    managedChannel.shutdownNow();
  }
}
