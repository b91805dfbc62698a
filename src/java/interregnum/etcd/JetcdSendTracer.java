package interregnum.etcd;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;

/** Notes whether one call got as far as a connection: if not, nothing of it has left. */
final class JetcdSendTracer extends ClientStreamTracer.Factory implements ClientInterceptor {
  private volatile boolean sent;

  boolean sent() {
    return sent;
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    return next.newCall(method, options.withStreamTracerFactory(this));
  }

  @Override
  public ClientStreamTracer newClientStreamTracer(
      ClientStreamTracer.StreamInfo info, Metadata headers) {
    return new ClientStreamTracer() {
      @Override
      public void streamCreated(Attributes transportAttributes, Metadata streamHeaders) {
        sent = true;
      }
    };
  }
}
