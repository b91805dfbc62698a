package interregnum.transport;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** What both ends of a gRPC connection agree on: unary methods that carry plain bytes. */
final class GrpcMethods {

  static final String SERVICE = "interregnum.Peer";

  /** Largest request or reply. */
  static final int MESSAGE_BYTES_MAX = 4 << 20;

  /** Set on a status that the serving node itself chose, to tell it from one made by gRPC. */
  static final Metadata.Key<String> VERDICT =
      Metadata.Key.of("interregnum-verdict", Metadata.ASCII_STRING_MARSHALLER);

  /** Verdict: the request did not run and never will. */
  static final String REFUSED = "refused";

  /** Verdict: the handler ran and failed on the way. */
  static final String HANDLER_FAILED = "handler-failed";

  private static final MethodDescriptor.Marshaller<byte[]> BYTES = new BytesMarshaller();

  private GrpcMethods() {}

  static MethodDescriptor<byte[], byte[]> descriptor(String method) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, method))
        .setRequestMarshaller(BYTES)
        .setResponseMarshaller(BYTES)
        .build();
  }

  private static final class BytesMarshaller implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
