package interregnum.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import interregnum.runtime.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GrpcTransportTest {

  private static final String HOST = "127.0.0.1";
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** For calls that are to succeed, on however busy a machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final GrpcTransport transport = new GrpcTransport();
  private final List<AutoCloseable> servers = new ArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    transport.close();
    for (AutoCloseable server : servers) {
      server.close();
    }
  }

  private GrpcServer serve(int port, Map<String, RequestHandler> handlers) throws Exception {
    GrpcServer server = new GrpcServer(HOST, port, handlers);
    servers.add(server);
    return server;
  }

  private Outcome<String> call(int port, String method, String request) throws Exception {
    return call(port, method, request, PATIENCE);
  }

  private Outcome<String> call(int port, String method, String request, Duration limit)
      throws Exception {
    return transport
        .call(HOST + ":" + port, method, request.getBytes(UTF_8), limit)
        .map(reply -> new String(reply, UTF_8));
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
      return socket.getLocalPort();
    }
  }

  @Test
  void carriesARequestAndItsReply() throws Exception {
    GrpcServer server =
        serve(0, Map.of("echo", request -> ("<" + new String(request, UTF_8) + ">").getBytes()));
    assertThat(call(server.port(), "echo", "a")).isEqualTo(Outcome.done("<a>"));
    assertThat(call(server.port(), "echo", "")).isEqualTo(Outcome.done("<>"));
  }

  @Test
  void carriesOneMebibyte() throws Exception {
    GrpcServer server = serve(0, Map.of("echo", request -> request));
    byte[] large = new byte[1 << 20];
    new Random(7).nextBytes(large);
    Outcome<byte[]> reply = transport.call(HOST + ":" + server.port(), "echo", large, PATIENCE);
    assertThat(reply).isInstanceOf(Outcome.Done.class);
    assertThat(((Outcome.Done<byte[]>) reply).value()).isEqualTo(large);
  }

  @Test
  void knowsThatARequestWithoutAListenerDidNotRun() throws Exception {
    assertThat(call(freePort(), "echo", "a")).isInstanceOf(Outcome.Failed.class);
  }

  @Test
  void knowsThatARequestToNowhereDidNotRun() throws Exception {
    assertThat(transport.call("no-colon", "echo", new byte[0], SECOND))
        .isInstanceOf(Outcome.Failed.class);
    assertThat(transport.call("h:x", "echo", new byte[0], SECOND))
        .isInstanceOf(Outcome.Failed.class);
    assertThat(transport.call("h:99999", "echo", new byte[0], SECOND))
        .isInstanceOf(Outcome.Failed.class);
    assertThat(transport.call("name.invalid:1", "echo", new byte[0], SECOND))
        .isInstanceOf(Outcome.Failed.class);
  }

  @Test
  void knowsThatARequestToAFullListenQueueDidNotRun() throws Exception {
    try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
      assertThat(call(deaf.getLocalPort(), "echo", "a", SECOND)).isInstanceOf(Outcome.Failed.class);
    }
  }

  @Test
  void knowsThatAnUnknownMethodDidNotRun() throws Exception {
    GrpcServer server = serve(0, Map.of("echo", request -> request));
    assertThat(call(server.port(), "other", "a")).isInstanceOf(Outcome.Failed.class);
  }

  @Test
  void tellsRefusalsFromHandlersThatFailed() throws Exception {
    GrpcServer server =
        serve(
            0,
            Map.of(
                "refuse",
                request -> {
                  throw new RequestRefusedException("not for me");
                },
                "fail",
                request -> {
                  throw new IllegalStateException("broke half-way");
                }));
    Outcome<String> refused = call(server.port(), "refuse", "a");
    assertThat(refused).isInstanceOf(Outcome.Failed.class);
    assertThat(((Outcome.Failed<String>) refused).reason()).contains("not for me");
    Outcome<String> failed = call(server.port(), "fail", "a");
    assertThat(failed).isInstanceOf(Outcome.Unknown.class);
    assertThat(((Outcome.Unknown<String>) failed).reason())
        .contains("broke half-way")
        .contains("handler failed");
  }

  @Test
  void doesNotKnowWhetherARequestRanThatTookTooLong() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    GrpcServer server =
        serve(
            0,
            Map.of(
                "slow",
                request -> {
                  release.await();
                  return request;
                }));
    long start = System.nanoTime();
    assertThat(call(server.port(), "slow", "a", SECOND)).isInstanceOf(Outcome.Unknown.class);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENCE);
    release.countDown();
  }

  @Test
  void doesNotKnowWhetherARequestRanWhoseServerWentAway() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    GrpcServer server =
        serve(
            0,
            Map.of(
                "slow",
                request -> {
                  entered.countDown();
                  Thread.sleep(60_000);
                  return request;
                }));
    CompletableFuture<Outcome<byte[]>> reply = inBackground(server.port(), "slow");
    assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
    server.close();
    assertThat(reply.get(20, TimeUnit.SECONDS)).isInstanceOf(Outcome.Unknown.class);
  }

  @Test
  void reachesARestartedServerAtOnce() throws Exception {
    int port = freePort();
    GrpcServer first = serve(port, Map.of("who", request -> "first".getBytes()));
    assertThat(call(port, "who", "")).isEqualTo(Outcome.done("first"));
    first.close();
    for (int i = 0; i < 20; i++) {
      assertThat(call(port, "who", "")).isNotInstanceOf(Outcome.Done.class);
    }
    serve(port, Map.of("who", request -> "second".getBytes()));
    assertThat(call(port, "who", "")).as("the very next call").isEqualTo(Outcome.done("second"));
  }

  @Test
  void refusesWhatItHasNoRoomForBeforeRunningIt() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    GrpcServer server =
        new GrpcServer(
            new InetSocketAddress(HOST, 0),
            Map.of(
                "wait",
                request -> {
                  runs.incrementAndGet();
                  release.await();
                  return request;
                }),
            new GrpcServer.Limits(2, 3));
    servers.add(server);
    List<CompletableFuture<Outcome<byte[]>>> replies = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      replies.add(inBackground(server.port(), "wait"));
    }
    await()
        .atMost(PATIENCE)
        .until(() -> replies.stream().filter(CompletableFuture::isDone).count() == 3);
    release.countDown();
    int done = 0;
    int failed = 0;
    for (CompletableFuture<Outcome<byte[]>> reply : replies) {
      Outcome<byte[]> outcome = reply.get(20, TimeUnit.SECONDS);
      done += outcome instanceof Outcome.Done ? 1 : 0;
      failed += outcome instanceof Outcome.Failed ? 1 : 0;
    }
    assertThat(done).isEqualTo(5);
    assertThat(failed).isEqualTo(3);
    assertThat(runs.get()).isEqualTo(5);
  }

  private CompletableFuture<Outcome<byte[]>> inBackground(int port, String method) {
    CompletableFuture<Outcome<byte[]>> reply = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                reply.complete(transport.call(HOST + ":" + port, method, new byte[1], PATIENCE));
              } catch (InterruptedException e) {
                reply.completeExceptionally(e);
              }
            });
    caller.setDaemon(true);
    caller.start();
    return reply;
  }

  @Test
  void survivesGarbageOnItsPort() throws Exception {
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    GrpcServer server = serve(0, Map.of("echo", request -> request));
    for (int i = 0; i < 20; i++) {
      try (Socket socket = new Socket(HOST, server.port())) {
        byte[] garbage = new byte[random.nextInt(4_096) + 1];
        random.nextBytes(garbage);
        OutputStream out = socket.getOutputStream();
        if (i % 2 == 0) {
          out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(UTF_8));
        }
        out.write(garbage);
        out.flush();
        socket.setSoTimeout(50);
        InputStream in = socket.getInputStream();
        in.read();
      } catch (IOException e) {
        assertThat(e).isNotNull();
      }
    }
    assertThat(call(server.port(), "echo", "alive"))
        .as("after garbage from seed %d", seed)
        .isEqualTo(Outcome.done("alive"));
  }

  @Test
  void passesTheCancellationOfItsCallerOn() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    GrpcServer server =
        serve(
            0,
            Map.of(
                "slow",
                request -> {
                  entered.countDown();
                  Thread.sleep(5_000);
                  return request;
                }));
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                transport.call(
                    HOST + ":" + server.port(), "slow", new byte[1], Duration.ofSeconds(30));
                interrupted.complete(false);
              } catch (InterruptedException e) {
                interrupted.complete(true);
              }
            });
    caller.start();
    assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
    caller.interrupt();
    assertThat(interrupted.get(20, TimeUnit.SECONDS)).isTrue();
  }
}
