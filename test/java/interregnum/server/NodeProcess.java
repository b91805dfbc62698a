package interregnum.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A real node process on loopback, on free ports, with its log in a file. */
final class NodeProcess implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern SERVES =
      Pattern.compile("node-serves id=\\S+ sql=(\\d+) status=(\\d+) peer=(\\d+)");
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Path log;
  private final Process process;
  private int sqlPort;
  private int statusPort;

  private NodeProcess(Path log, Process process) {
    this.log = log;
    this.process = process;
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
  }

  /** Starts a node and waits until it serves. */
  static NodeProcess start(Path folder, String id, String etcd, String... flags)
      throws IOException, InterruptedException {
    List<String> all =
        new ArrayList<>(
            List.of("--id", id, "--etcd", etcd, "--sql-port", "0", "--status-port", "0",
                "--peer-port", "0"));
    all.addAll(List.of(flags));
    NodeProcess node = launch(folder.resolve(id + ".log"), all.toArray(String[]::new));
    node.awaitServing();
    return node;
  }

  /** Starts a node process with these flags and no others. */
  static NodeProcess launch(Path log, String... flags) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m",
                "-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(flags));
    return new NodeProcess(
        log,
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start());
  }

  private void awaitServing() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (true) {
      Matcher serves = SERVES.matcher(output());
      if (serves.find()) {
        sqlPort = Integer.parseInt(serves.group(1));
        statusPort = Integer.parseInt(serves.group(2));
        return;
      }
      assertThat(process.isAlive()).as("%s", output()).isTrue();
      assertThat(System.nanoTime()).as("%s", output()).isLessThan(deadline);
      Thread.sleep(20);
    }
  }

  String output() throws IOException {
    return Files.readString(log);
  }

  int sqlPort() {
    return sqlPort;
  }

  int statusPort() {
    return statusPort;
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:mysql://127.0.0.1:" + sqlPort + "/test?connectTimeout=2000&socketTimeout=20000",
        "root", "");
  }

  HttpResponse<String> request(String method, String path, String body)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + statusPort + path))
            .timeout(Duration.ofSeconds(10))
            .method(method, BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  JsonNode get(String path) throws IOException, InterruptedException {
    return JSON.readTree(request("GET", path, "").body());
  }

  /** Whether the node itself says that it leads the id service. */
  boolean leads() throws IOException, InterruptedException {
    return get("/info").get("autoidLeader").booleanValue();
  }

  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  /** The exit code, once the process has ended. */
  int exit() throws InterruptedException {
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("the process ended").isTrue();
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
