package interregnum.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import interregnum.etcd.EtcdServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Schema changes whose client or owner dies, on node processes. */
@Tag("integration")
@Timeout(180)
class DdlProcessTest {

  @RegisterExtension static final EtcdServer ETCD = new EtcdServer();

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int TTL_SECONDS = 4;

  /** For the election, the takeover and the rest of the job, on a machine that is busy. */
  private static final Duration GRACE = Duration.ofSeconds(8);

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

  /** A started node that owns the role, and another one. */
  private void start() throws Exception {
    nodes.add(startNode("a"));
    await().atMost(LIMIT).until(() -> owns(nodes.get(0)));
    nodes.add(startNode("b"));
  }

  private NodeProcess startNode(String id) throws Exception {
    return NodeProcess.start(
        folder, id, ETCD.url(), "--session-ttl-seconds", Integer.toString(TTL_SECONDS));
  }

  private static boolean owns(NodeProcess node) throws Exception {
    return node.get("/info").get("ddlOwner").booleanValue();
  }

  private static void execute(NodeProcess node, String sql) throws SQLException {
    try (Connection c = node.connect();
        Statement s = c.createStatement()) {
      s.execute(sql);
    }
  }

  private static int count(NodeProcess node, String sql) throws SQLException {
    try (Connection c = node.connect();
        Statement s = c.createStatement();
        ResultSet r = s.executeQuery(sql)) {
      r.next();
      return r.getInt(1);
    }
  }

  private static void arm(NodeProcess node, String point, String term) throws Exception {
    assertThat(node.request("PUT", "/failpoint/" + point, term).statusCode()).isEqualTo(200);
  }

  private static void awaitHeld(NodeProcess node, String point) {
    await()
        .atMost(LIMIT)
        .until(() -> node.get("/failpoint/" + point).get("waiting").intValue() > 0);
  }

  /** Sends a statement in a thread of its own and does not care for the answer. */
  private static Thread send(Connection connection, String sql) {
    Thread client =
        new Thread(
            () -> {
              try (Statement s = connection.createStatement()) {
                s.execute(sql);
              } catch (SQLException e) {
                // The connection or the node goes away while the statement waits.
                return;
              }
            });
    client.start();
    return client;
  }

  private static JsonNode lastJob(NodeProcess node) throws Exception {
    JsonNode history = node.get("/ddl/history");
    return history.isEmpty() ? null : history.get(0);
  }

  @Test
  void goesOnWhenTheClientDies() throws Exception {
    start();
    NodeProcess owner = nodes.get(0);
    NodeProcess other = nodes.get(1);
    execute(other, "create table t (id int primary key, v int)");
    execute(other, "insert into t values (1, 1), (2, 2)");
    arm(owner, "beforePublish", "pause:table=t");
    Connection connection = other.connect();
    Thread client = send(connection, "alter table t add index i (v)");
    awaitHeld(owner, "beforePublish");
    connection.abort(Runnable::run);
    client.join(LIMIT.toMillis());
    arm(owner, "beforePublish", "off");
    await()
        .atMost(LIMIT)
        .until(() -> lastJob(other).get("type").textValue().equals("add index"));
    assertThat(lastJob(other).get("progress").get("state").textValue()).isEqualTo("SYNCED");
    assertThat(count(other, "select count(*) from t use index (i) where v > 0")).isEqualTo(2);
    execute(owner, "admin check table t");
  }

  /**
   * Lets the owner die at a failpoint in the middle of a job, which must have ended after one lease
   * and an election.
   */
  private void assertSucceededAfterDyingAt(String point) throws Exception {
    start();
    NodeProcess owner = nodes.get(0);
    NodeProcess other = nodes.get(1);
    execute(other, "create table t (id int primary key, v int)");
    execute(other, "insert into t values (1, 1), (2, 2)");
    arm(owner, point, "crash:table=t");
    try (Connection connection = other.connect()) {
      Thread client = send(connection, "alter table t add index i (v)");
      owner.exit();
      await()
          .atMost(Duration.ofSeconds(TTL_SECONDS).plus(GRACE))
          .until(() -> lastJob(other).get("type").textValue().equals("add index"));
      client.join(LIMIT.toMillis());
      assertThat(lastJob(other).get("progress").get("state").textValue()).isEqualTo("SYNCED");
      assertThat(other.get("/ddl/jobs")).isEmpty();
      execute(other, "admin check table t");
      assertThat(count(other, "select count(*) from t use index (i) where v > 0")).isEqualTo(2);
    }
  }

  @Test
  void isCarriedOnWhenTheOwnerDiesAfterAStep() throws Exception {
    assertSucceededAfterDyingAt("afterStepCommit");
  }

  @Test
  void isCarriedOnWhenTheOwnerDiesInTheBackfill() throws Exception {
    assertSucceededAfterDyingAt("beforeBackfillCommit");
  }

  @Test
  void isCarriedOnWhenTheOwnerDiesBeforeTheAnswer() throws Exception {
    assertSucceededAfterDyingAt("beforeMoveToHistory");
  }
}
