package interregnum.server;

import interregnum.allocator.LeaderOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of a node. */
@Command(
    name = "interregnum-node",
    description = "A reference node: SQL front, id service, and its part in the elections.",
    sortOptions = false,
    mixinStandardHelpOptions = true,
    version = "interregnum " + NodeVersion.VERSION)
final class NodeOptions {

  @Option(names = "--id", paramLabel = "ID", defaultValue = "n1", description = "The node's name.")
  private String id;

  @Option(
      names = "--advertise",
      paramLabel = "HOST",
      defaultValue = "127.0.0.1",
      description = "Where other nodes reach this one.")
  private String advertise;

  @Option(
      names = "--listen",
      paramLabel = "HOST",
      defaultValue = "127.0.0.1",
      description = "The address to listen on.")
  private String listen;

  @Option(
      names = "--etcd",
      paramLabel = "URL",
      split = ",",
      defaultValue = "http://127.0.0.1:2379",
      description = "etcd's client URLs.")
  private List<String> etcd;

  @Option(names = "--sql-port", paramLabel = "PORT", defaultValue = "4000")
  private int sqlPort;

  @Option(names = "--status-port", paramLabel = "PORT", defaultValue = "10080")
  private int statusPort;

  @Option(names = "--peer-port", paramLabel = "PORT", defaultValue = "10081")
  private int peerPort;

  @Option(
      names = "--id-step",
      paramLabel = "N",
      defaultValue = "" + LeaderOptions.STEP_DEFAULT,
      description = "How many ids the leader reserves at a time.")
  private int idStep;

  @Option(
      names = "--session-ttl-seconds",
      paramLabel = "N",
      defaultValue = "3",
      description = "How long a lease holds without renewal.")
  private int sessionTtlSeconds;

  @Option(
      names = "--etcd-wait-seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long to wait for etcd when starting.")
  private int etcdWaitSeconds;

  @Option(
      names = "--defect",
      paramLabel = "NAME",
      split = ",",
      description = "Safeguards to leave out.")
  private List<String> defects = List.of();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description = "Seed of the node's random choices.")
  private long seed;

  @Option(
      names = "--failpoint",
      paramLabel = "NAME=TERM",
      description = "Failpoints to arm from the start.")
  private Map<String, String> failpoints = Map.of();

  String id() {
    return id;
  }

  String advertise() {
    return advertise;
  }

  String listen() {
    return listen;
  }

  List<String> etcd() {
    return etcd;
  }

  int sqlPort() {
    return sqlPort;
  }

  int statusPort() {
    return statusPort;
  }

  int peerPort() {
    return peerPort;
  }

  int idStep() {
    return idStep;
  }

  Duration sessionTtl() {
    return Duration.ofSeconds(sessionTtlSeconds);
  }

  Duration etcdWait() {
    return Duration.ofSeconds(etcdWaitSeconds);
  }

  List<String> defects() {
    return defects;
  }

  long seed() {
    return seed;
  }

  Map<String, String> failpoints() {
    return failpoints;
  }

  /**
   * Checks what picocli cannot.
   *
   * @throws IllegalArgumentException if a value makes no sense; the message is for people
   */
  void check() {
    require(id.matches("[A-Za-z0-9._-]{1,64}"), "--id " + id + ": not a name");
    require(!advertise.isBlank(), "--advertise: empty");
    checkPort("--sql-port", sqlPort);
    checkPort("--status-port", statusPort);
    checkPort("--peer-port", peerPort);
    require(idStep > 0, "--id-step " + idStep + ": not positive");
    require(
        sessionTtlSeconds > 0, "--session-ttl-seconds " + sessionTtlSeconds + ": not positive");
    require(etcdWaitSeconds >= 0, "--etcd-wait-seconds " + etcdWaitSeconds + ": negative");
    etcd.forEach(url -> require(url.matches("(http://)?[^/:]+:\\d{1,5}/?"),
        "--etcd " + url + ": expected http://HOST:PORT"));
  }

  private static void checkPort(String option, int port) {
    require(port >= 0 && port < 1 << 16, option + " " + port + ": not a port");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
