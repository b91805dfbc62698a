package interregnum.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import interregnum.runtime.Outcome;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A real etcd of one member, on free loopback ports and a folder of its own. As an extension:
 *
 * <pre>{@code
 * @RegisterExtension static final EtcdServer ETCD = new EtcdServer();
 * }</pre>
 *
 * It starts before the class's first test and stops, by pid, after the last one. Tests share its
 * keys, so each uses names of its own or {@link #clear}.
 */
public final class EtcdServer implements BeforeAllCallback, AfterAllCallback, AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(20);

  private Path folder;
  private int clientPort;
  private int peerPort;
  private Process process;

  @Override
  public void beforeAll(ExtensionContext context) {
    start();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    close();
  }

  /** Starts the member with an empty folder, and waits until it answers. */
  public void start() {
    try {
      folder = Files.createTempDirectory("interregnum-etcd-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    clientPort = freePort();
    peerPort = freePort();
    Runtime.getRuntime().addShutdownHook(new Thread(this::killProcess));
    restart();
  }

  /** Starts the member again, on the same ports and folder, after {@link #kill}. */
  public void restart() {
    String client = "http://127.0.0.1:" + clientPort;
    String peer = "http://127.0.0.1:" + peerPort;
    File log = folder.resolve("etcd.log").toFile();
    try {
      process =
          new ProcessBuilder(
                  List.of(
                      "etcd", "--name", "n1",
                      "--data-dir", folder.resolve("data").toString(),
                      "--listen-client-urls", client,
                      "--advertise-client-urls", client,
                      "--listen-peer-urls", peer,
                      "--initial-advertise-peer-urls", peer,
                      "--initial-cluster", "n1=" + peer,
                      "--max-txn-ops", "10000",
                      "--logger", "zap"))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try (JetcdEtcd etcd = client()) {
      assertThat(etcd.warmUp(START_LIMIT)).isInstanceOf(Outcome.Done.class);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** The client URL. */
  public String url() {
    return "http://127.0.0.1:" + clientPort;
  }

  /** A new client, which the caller closes. */
  public JetcdEtcd client() {
    return new JetcdEtcd(List.of(url()));
  }

  /** Stops the process where it stands, as SIGSTOP does. */
  public void pause() {
    signal("STOP");
  }

  /** Lets a paused process go on. */
  public void resume() {
    signal("CONT");
  }

  /** Ends the process at once; its folder stays. */
  public void kill() {
    killProcess();
  }

  /** Deletes all keys. */
  public void clear() {
    run("etcdctl", "--endpoints", url(), "del", "", "--from-key");
  }

  @Override
  public void close() {
    killProcess();
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void signal(String name) {
    run("kill", "-" + name, Long.toString(process.pid()));
  }

  private void killProcess() {
    if (process != null) {
      process.destroyForcibly();
      try {
        process.waitFor(10, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void run(String... command) {
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().put("ETCDCTL_API", "3");
      Process child = builder.start();
      String output = new String(child.getInputStream().readAllBytes());
      assertThat(child.waitFor()).as("%s: %s", String.join(" ", command), output).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
