package interregnum.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import interregnum.etcd.EtcdServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Node processes as their users see them, on a real etcd. */
@Tag("integration")
@Timeout(180)
class NodeProcessTest {

  @RegisterExtension static final EtcdServer ETCD = new EtcdServer();

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final List<NodeProcess> nodes = new ArrayList<>();
  @TempDir private Path folder;

  @BeforeEach
  void clear() {
    ETCD.clear();
  }

  @AfterEach
  void stop() {
    nodes.forEach(NodeProcess::close);
  }

  private NodeProcess start(String id, String... flags) throws Exception {
    NodeProcess node = NodeProcess.start(folder, id, ETCD.url(), flags);
    nodes.add(node);
    return node;
  }

  private NodeProcess launch(String... flags) throws IOException {
    NodeProcess node = NodeProcess.launch(folder.resolve("launched.log"), flags);
    nodes.add(node);
    return node;
  }

  /** What the {@code mysql} client prints for statements typed into it. */
  private static String mysql(NodeProcess node, String statements) throws Exception {
    Process client =
        new ProcessBuilder(
                "mysql", "--no-defaults", "-h", "127.0.0.1", "-P", "" + node.sqlPort(), "-u",
                "root", "-N", "test")
            .redirectErrorStream(true)
            .start();
    try (OutputStream in = client.getOutputStream()) {
      in.write(statements.getBytes(StandardCharsets.UTF_8));
    }
    String output = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(client.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(client.exitValue()).as(output).isZero();
    return output;
  }

  /** What {@code curl} prints. */
  private static String curl(NodeProcess node, String path) throws Exception {
    Process client =
        new ProcessBuilder("curl", "-s", "http://127.0.0.1:" + node.statusPort() + path).start();
    String output = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(client.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return output;
  }

  private static void awaitLead(NodeProcess node) {
    await().atMost(LIMIT).pollInterval(Duration.ofMillis(50)).until(node::leads);
  }

  /** Starts a node that keeps its leases also where threads wait long for a processor. */
  private NodeProcess startPatient(String id, String... flags) throws Exception {
    String[] all = Arrays.copyOf(flags, flags.length + 2);
    all[flags.length] = "--session-ttl-seconds";
    all[flags.length + 1] = "30";
    return start(id, all);
  }

  /** The steps of the public report: inserts at A, A resigns, inserts at B, B resigns, inserts. */
  private String seedB(String... flags) throws Exception {
    NodeProcess a = startPatient("a", flags);
    awaitLead(a);
    NodeProcess b = startPatient("b", flags);
    mysql(
        a,
        "create table t (id int primary key auto_increment, k int) auto_id_cache = 1;"
            + "insert into t (k) values (1); insert into t (k) values (2);"
            + "insert into t (k) values (3); insert into t (k) values (5);");
    assertThat(curl(a, "/autoid/leader/resign")).isEqualTo("success!");
    assertThat(curl(a, "/autoid/leader/resign")).isEqualTo("not owner");
    awaitLead(b);
    mysql(
        a,
        "insert into t (k) values (6); insert into t (k) values (7);"
            + "insert into t (k) values (8);");
    assertThat(curl(b, "/autoid/leader/resign")).isEqualTo("success!");
    awaitLead(a);
    mysql(
        b,
        "insert into t (k) values (9); insert into t (k) values (10);"
            + "insert into t (k) values (11);");
    return mysql(a, "select id from t order by k;").replace("\n", " ").strip();
  }

  @Test
  void idsGrowAcrossLeaders() throws Exception {
    assertThat(seedB()).isEqualTo("1 2 3 4 4001 4002 4003 8001 8002 8003");
  }

  @Test
  void idsGoBackIfRangesAreKept() throws Exception {
    assertThat(seedB("--defect", "tidb-52600"))
        .isEqualTo("1 2 3 4 4001 4002 4003 5 6 7");
  }

  @Test
  void altersTablesOnAllNodes() throws Exception {
    NodeProcess a = start("a");
    NodeProcess b = start("b");
    mysql(a, "create table t (id int primary key auto_increment, v int) auto_id_cache = 1;");
    mysql(b, "insert into t (v) values (3), (1), (2);");
    mysql(a, "alter table t add index iv (v), add column w varchar(9) not null default 'd';");
    assertThat(mysql(b, "select id, w from t force index (iv); admin check table t;"))
        .isEqualTo("2\td\n3\td\n1\td\n");
    mysql(b, "insert into t (v, w) values (0, 'e'); update t set v = 9 where id = 1;");
    assertThat(mysql(a, "select v, w from t use index (iv) where v > 1; admin check table t"))
        .isEqualTo("2\td\n9\td\n");
    mysql(b, "alter table t drop column w; drop index iv on t; alter table t auto_increment = 50");
    mysql(a, "insert into t (v) values (7); rename table t to u;");
    assertThat(mysql(b, "select * from u where id = 50; truncate u; select count(*) from u;"))
        .isEqualTo("50\t7\n0\n");
    assertThat(mysql(a, "insert into u values (null, 1); select id from u; drop table u"))
        .isEqualTo("1\n");
    assertThat(errorOf(b, "select * from u")).isEqualTo(1146);
    assertThat(errorOf(b, "alter table u add index i (v)")).isEqualTo(1146);
    mysql(a, "create table u (a int, key i (a))");
    assertThat(errorOf(b, "create table u (a int)")).isEqualTo(1050);
    assertThat(errorOf(b, "create index i on u (a)")).isEqualTo(1061);
    assertThat(errorOf(b, "create index j on u (z)")).isEqualTo(1072);
    assertThat(errorOf(b, "alter table u add column A int")).isEqualTo(1060);
    assertThat(errorOf(b, "alter table u drop column z")).isEqualTo(1091);
    assertThat(errorOf(b, "alter table u drop column a")).isEqualTo(1090);
    assertThat(mysql(b, "admin cancel ddl jobs 999")).startsWith("999\terror");
    assertThat(mysql(a, "admin show ddl jobs")).contains("create table", "synced");
  }

  private static int errorOf(NodeProcess node, String sql) throws SQLException {
    try (Connection c = node.connect()) {
      SQLException error = catchThrowableOfType(SQLException.class, () -> query(c, sql));
      return error == null ? 0 : error.getErrorCode();
    }
  }

  @Test
  void answersAboutItselfOverHttp() throws Exception {
    NodeProcess node = start("a", "--failpoint", "nowhere=pause", "--defect", "tidb-52600");
    awaitLead(node);
    assertThat(node.get("/status").get("version").textValue()).isEqualTo("0.1.0");
    JsonNode info = node.get("/info");
    assertThat(info.get("id").textValue()).isEqualTo("a");
    assertThat(info.get("defects").toString()).isEqualTo("[\"tidb-52600\"]");
    JsonNode leader = node.get("/autoid/leader");
    assertThat(leader.get("id").textValue()).isEqualTo("a");
    assertThat(leader.get("term")).isEqualTo(info.get("terms").get("autoid"));
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(node.get("/info/all").get("servers")).hasSize(1));
    mysql(node, "create table t (id int primary key auto_increment); insert into t values (null);");
    assertThat(node.get("/autoid/table/1").get("base").intValue()).isEqualTo(1);
    assertThat(node.get("/autoid/table/1").get("end").intValue()).isEqualTo(4000);
  }

  @Test
  void armsFailpointsOverHttp() throws Exception {
    NodeProcess node = start("a", "--failpoint", "nowhere=pause");
    assertThat(node.get("/failpoint").get(0).get("name").textValue()).isEqualTo("nowhere");
    assertThat(node.request("PUT", "/failpoint/x", "3*sleep(10):a=b").statusCode()).isEqualTo(200);
    assertThat(node.get("/failpoint/x").get("term").textValue()).isEqualTo("3*sleep(10):a=b");
    assertThat(node.request("DELETE", "/failpoint/x", "").statusCode()).isEqualTo(200);
    assertThat(node.get("/failpoint/x").get("term").textValue()).isEqualTo("off");
    assertThat(node.request("PUT", "/failpoint/x", "explode").statusCode()).isEqualTo(400);
    assertThat(node.get("/nowhere").get("definite").booleanValue()).isTrue();
    assertThat(node.request("DELETE", "/status", "").statusCode()).isEqualTo(405);
  }

  @Test
  void stopsCleanlyWhenTold() throws Exception {
    NodeProcess a = start("a", "--session-ttl-seconds", "30");
    awaitLead(a);
    NodeProcess b = start("b", "--session-ttl-seconds", "30");
    mysql(a, "create table t (id int primary key auto_increment)");
    try (Connection idle = a.connect()) {
      a.signal("TERM");
      assertThat(a.exit()).isEqualTo(143);
      SQLException ended =
          catchThrowableOfType(SQLException.class, () -> query(idle, "select 1"));
      assertThat(ended.getSQLState()).startsWith("08");
    }
    assertThat(a.output()).contains("node-stopped id=a").doesNotContain("ERROR");
    await().atMost(Duration.ofSeconds(10)).until(b::leads);
    assertThat(b.get("/info/all").get("servers")).hasSize(1);
    mysql(b, "insert into t values (null)");
  }

  @Test
  void isSucceededWhenItDies() throws Exception {
    NodeProcess a = start("a");
    awaitLead(a);
    NodeProcess b = start("b");
    mysql(a, "create table t (id int primary key auto_increment); insert into t values (null);");
    a.signal("KILL");
    a.exit();
    mysql(b, "insert into t values (null);");
    assertThat(mysql(b, "select id from t;")).isEqualTo("1\n4001\n");
  }

  @Test
  void isSucceededWhilePausedAndServesNothingStaleAfterwards() throws Exception {
    NodeProcess a = start("a");
    awaitLead(a);
    NodeProcess b = start("b");
    mysql(a, "create table t (id int primary key auto_increment); insert into t values (null);");
    a.signal("STOP");
    awaitLead(b);
    mysql(b, "insert into t values (null);");
    a.signal("CONT");
    await().atMost(LIMIT).untilAsserted(() -> mysql(a, "select count(*) from t;"));
    mysql(a, "insert into t values (null);");
    assertThat(mysql(b, "select id from t;")).isEqualTo("1\n4001\n4002\n");
    assertThat(a.leads()).isFalse();
  }

  @Test
  void survivesRandomBytesOnEveryPort() throws Exception {
    NodeProcess node = start("a");
    long seed = Long.getLong("interregnum.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 60; round++) {
      byte[] garbage = new byte[random.nextInt(2_000)];
      random.nextBytes(garbage);
      int port = round % 2 == 0 ? node.sqlPort() : node.statusPort();
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.setSoTimeout(200);
        socket.getOutputStream().write(garbage);
        socket.shutdownOutput();
        socket.getInputStream().readAllBytes();
      } catch (IOException closedOrSilent) {
        continue;
      }
    }
    assertThat(mysql(node, "select 1;")).as("seed %d", seed).isEqualTo("1\n");
    assertThat(node.get("/status").get("version").textValue()).isEqualTo("0.1.0");
  }

  @Test
  void refusesBadFlagsInOneLine() throws Exception {
    assertRefused(254, "Unknown option: '--nope'", "--nope");
    assertRefused(254, "unknown defect x", "--defect", "x");
    assertRefused(254, "--id-step 0", "--id-step", "0");
    assertRefused(254, "'abc' is not an int", "--sql-port", "abc");
    assertRefused(254, "--etcd foo", "--etcd", "foo");
  }

  @Test
  void saysThatItCannotStart() throws Exception {
    assertRefused(
        255, "no answer from etcd", "--etcd", "http://127.0.0.1:1", "--etcd-wait-seconds", "0",
        "--sql-port", "0", "--status-port", "0", "--peer-port", "0");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = "" + taken.getLocalPort();
      assertRefused(
          255, "cannot listen on 127.0.0.1:" + port + " (--sql-port)", "--etcd", ETCD.url(),
          "--sql-port", port, "--status-port", "0", "--peer-port", "0");
    }
  }

  private void assertRefused(int code, String message, String... flags) throws Exception {
    NodeProcess node = launch(flags);
    assertThat(node.exit()).as(node.output()).isEqualTo(code);
    List<String> said =
        node.output().lines().filter(line -> !line.contains(" INFO ")).toList();
    assertThat(said).singleElement().asString().contains(message);
  }

  private static String query(Connection c, String sql) throws SQLException {
    try (Statement s = c.createStatement()) {
      if (!s.execute(sql)) {
        return "";
      }
      ResultSet r = s.getResultSet();
      return r.next() ? r.getString(1) : "";
    }
  }
}
