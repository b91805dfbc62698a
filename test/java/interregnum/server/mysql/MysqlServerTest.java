package interregnum.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import interregnum.runtime.SystemRuntime;
import interregnum.sql.StoreCatalog;
import interregnum.sql.exec.MemoryIds;
import interregnum.sql.exec.MemoryStore;
import interregnum.sql.exec.Result;
import interregnum.sql.exec.SqlEngine;
import interregnum.sql.exec.SqlModes;
import interregnum.store.CommitResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class MysqlServerTest {

  private final MemoryStore store = new MemoryStore();
  private final SystemRuntime runtime =
      new SystemRuntime(
          1,
          (task, failure) -> {
            throw new AssertionError(task, failure);
          });
  private MysqlServer server;

  @BeforeEach
  void start() throws IOException {
    SqlEngine engine =
        new SqlEngine(
            "n1", runtime, new SqlEngine.Parts(store, new StoreCatalog(store), new MemoryIds(),
            statement -> Result.Done.NOTHING, SqlModes.CORRECT));
    server = new MysqlServer("127.0.0.1", 0, engine, "8.0.11-test", runtime);
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Connection connect(String options) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:mysql://127.0.0.1:" + server.port() + "/test" + options, "root", "any");
  }

  private static List<String> query(Connection c, String sql) throws SQLException {
    try (Statement s = c.createStatement();
        ResultSet r = s.executeQuery(sql)) {
      List<String> rows = new ArrayList<>();
      while (r.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= r.getMetaData().getColumnCount(); i++) {
          row.append(i > 1 ? "," : "").append(r.getString(i));
        }
        rows.add(row.toString());
      }
      return rows;
    }
  }

  private static void update(Connection c, String sql) throws SQLException {
    try (Statement s = c.createStatement()) {
      s.executeUpdate(sql);
    }
  }

  private static void createTable(Connection c) throws SQLException {
    update(
        c,
        "create table t (id bigint primary key auto_increment, i int, s varchar(20), d double,"
            + " u bigint unsigned, y tinyint, z text, m mediumint, w smallint)"
            + " auto_id_cache = 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "?useServerPrepStmts=true", "?rewriteBatchedStatements=true"})
  void servesConnectorJ(String options) throws SQLException {
    try (Connection c = connect(options)) {
      assertThat(c.isValid(2)).isTrue();
      createTable(c);
      insertOne(c);
      String select = "select * from t where id = ? and s is not null";
      try (PreparedStatement p = c.prepareStatement(select)) {
        p.setLong(1, 1);
        for (int repeat = 0; repeat < 2; repeat++) {
          try (ResultSet r = p.executeQuery()) {
            assertThat(r.next()).isTrue();
            assertThat(r.getLong("id")).isEqualTo(1);
            assertThat(r.getInt("i")).isEqualTo(-7);
            assertThat(r.getString("s")).isEqualTo("it's ö \\ \"x\"");
            assertThat(r.getDouble("d")).isEqualTo(2.5);
            assertThat(r.getObject("u").toString()).isEqualTo("18446744073709551615");
            assertThat(r.getByte("y")).isEqualTo((byte) -3);
            assertThat(r.getString("z")).isNull();
            assertThat(r.getInt("m")).isEqualTo(-70000);
            assertThat(r.getShort("w")).isEqualTo((short) -300);
            assertThat(r.next()).isFalse();
          }
        }
      }
    }
  }

  private static void insertOne(Connection c) throws SQLException {
    String insert = "insert into t (i, s, d, u, y, z, m, w) values (?, ?, ?, ?, ?, ?, -70000, ?)";
    try (PreparedStatement p = c.prepareStatement(insert, Statement.RETURN_GENERATED_KEYS)) {
      p.setInt(1, -7);
      p.setString(2, "it's ö \\ \"x\"");
      p.setDouble(3, 2.5);
      p.setBigDecimal(4, new java.math.BigDecimal("18446744073709551615"));
      p.setByte(5, (byte) -3);
      p.setString(6, null);
      p.setShort(7, (short) -300);
      assertThat(p.executeUpdate()).isEqualTo(1);
      try (ResultSet keys = p.getGeneratedKeys()) {
        assertThat(keys.next()).isTrue();
        assertThat(keys.getLong(1)).isEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "?useServerPrepStmts=true", "?rewriteBatchedStatements=true&useServerPrepStmts=true"
      })
  void givesKeysForBatches(String options) throws SQLException {
    try (Connection c = connect(options)) {
      createTable(c);
      try (PreparedStatement p =
          c.prepareStatement("insert into t (i) values (?)", Statement.RETURN_GENERATED_KEYS)) {
        for (int i = 0; i < 5; i++) {
          p.setInt(1, i);
          p.addBatch();
        }
        p.executeBatch();
        List<Long> keys = new ArrayList<>();
        try (ResultSet r = p.getGeneratedKeys()) {
          while (r.next()) {
            keys.add(r.getLong(1));
          }
        }
        assertThat(keys).containsExactly(1L, 2L, 3L, 4L, 5L);
      }
      assertThat(query(c, "select id, i from t"))
          .containsExactly("1,0", "2,1", "3,2", "4,3", "5,4");
    }
  }

  @Test
  void keepsTransactionsApart() throws SQLException {
    try (Connection a = connect("");
        Connection b = connect("")) {
      createTable(a);
      a.setAutoCommit(false);
      update(a, "insert into t (i) values (1)");
      assertThat(query(b, "select count(*) from t")).containsExactly("0");
      a.commit();
      assertThat(query(b, "select count(*) from t")).containsExactly("1");
      update(a, "update t set i = 2 where id = 1");
      update(b, "update t set i = 3 where id = 1");
      SQLException conflict = catchThrowableOfType(SQLException.class, a::commit);
      assertThat(conflict.getErrorCode()).isEqualTo(9007);
      a.rollback();
      update(a, "update t set i = 4 where id = 1");
      a.rollback();
      assertThat(query(b, "select i from t")).containsExactly("3");
    }
  }

  @Test
  void tellsErrorsByNumberAndState() throws SQLException {
    try (Connection c = connect("")) {
      createTable(c);
      update(c, "insert into t (id) values (1)");
      SQLException dup =
          catchThrowableOfType(
              SQLException.class, () -> update(c, "insert into t (id) values (1)"));
      assertThat(dup.getErrorCode()).isEqualTo(1062);
      assertThat(dup.getSQLState()).isEqualTo("23000");
      assertThat(dup.getMessage()).contains("Duplicate entry '1' for key 't.PRIMARY'");
      store.failNextCommit(new CommitResult.Unknown("lost"));
      SQLException unknown =
          catchThrowableOfType(
              SQLException.class, () -> update(c, "insert into t (id) values (2)"));
      assertThat(unknown.getErrorCode()).isEqualTo(8501);
      SQLException syntax =
          catchThrowableOfType(SQLException.class, () -> update(c, "selec 1"));
      assertThat(syntax.getErrorCode()).isEqualTo(1064);
      assertThat(query(c, "select count(*) from t")).containsExactly("1");
    }
  }

  @Test
  void knowsOnlyRoot() {
    SQLException refused =
        catchThrowableOfType(
            SQLException.class,
            () ->
                DriverManager.getConnection(
                    "jdbc:mysql://127.0.0.1:" + server.port() + "/test", "eve", "x"));
    assertThat(refused.getErrorCode()).isEqualTo(1045);
    SQLException noDatabase =
        catchThrowableOfType(
            SQLException.class,
            () ->
                DriverManager.getConnection(
                    "jdbc:mysql://127.0.0.1:" + server.port() + "/nope", "root", "x"));
    assertThat(noDatabase.getErrorCode()).isEqualTo(1049);
  }

  @Test
  void carriesTextsBeyondOnePacket() throws SQLException {
    try (Connection c = connect("")) {
      createTable(c);
      String text = "x".repeat((1 << 24) + 100);
      try (PreparedStatement p = c.prepareStatement("insert into t (z) values (?)")) {
        p.setString(1, text);
        p.executeUpdate();
      }
      assertThat(query(c, "select length(z) from t")).containsExactly("" + text.length());
      assertThat(query(c, "select z from t").get(0)).hasSize(text.length());
    }
  }

  @Test
  void servesTheCommandLineClient() throws Exception {
    Process client =
        new ProcessBuilder(
                "mysql", "--no-defaults", "-h", "127.0.0.1", "-P", "" + server.port(), "-u",
                "root", "-panything", "test")
            .redirectErrorStream(true)
            .start();
    try (OutputStream in = client.getOutputStream()) {
      in.write(
          ("create table t (id int primary key auto_increment, k int) auto_id_cache = 1;\n"
                  + "insert into t (k) values (1); insert into t (k) values (2);\n"
                  + "select * from t; select last_insert_id(); show tables;\n"
                  + "show create table t\\G\n"
                  + "update t set k = 3 where id = 1; select database(), version();")
              .getBytes(StandardCharsets.UTF_8));
    }
    String output = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(client.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(output)
        .contains("id\tk\n1\t1\n2\t2\n", "last_insert_id()\n2\n", "Tables_in_test\nt\n",
            "PRIMARY KEY (`id`)", "test\t8.0.11-interregnum");
    assertThat(client.exitValue()).as(output).isZero();
  }

  @Test
  void tellsClientsThatItShutsDown() throws Exception {
    try (Connection c = connect("")) {
      Thread closing = new Thread(server::close);
      closing.start();
      SQLException end = null;
      while (end == null) {
        end = catchThrowableOfType(SQLException.class, () -> query(c, "select 1"));
      }
      closing.join();
      // The driver throws away what it has not asked for, so it may see only the end of the stream.
      assertThat(end.getErrorCode()).as("%s", end).isIn(1053, 0);
      assertThat(end.getSQLState()).as("%s", end).isEqualTo("08S01");
    }
  }

  @Test
  void survivesRandomBytes() throws Exception {
    long seed = Long.getLong("interregnum.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      try (Socket socket = new Socket("127.0.0.1", server.port())) {
        socket.setSoTimeout(5_000);
        sendGarbage(socket, random, round % 3);
      } catch (IOException e) {
        assertThat(e.toString()).as("seed %d round %d", seed, round).doesNotContain("Timeout");
      }
    }
    try (Connection c = connect("")) {
      assertThat(query(c, "select 1")).as("seed %d", seed).containsExactly("1");
    }
  }

  /** Garbage instead of a handshake, in well-formed packets, or after a good handshake. */
  private static void sendGarbage(Socket socket, Random random, int kind) throws IOException {
    InputStream in = socket.getInputStream();
    OutputStream out = socket.getOutputStream();
    int greetingLength = in.read() | in.read() << 8 | in.read() << 16;
    in.readNBytes(greetingLength + 1);
    byte[] garbage = new byte[random.nextInt(200) + 1];
    random.nextBytes(garbage);
    if (kind == 2) {
      PayloadWriter login =
          new PayloadWriter()
              .int4(Capabilities.PROTOCOL_41 | Capabilities.SECURE_CONNECTION)
              .int4(1 << 24).int1(45).zeros(23).zeroEnded("root").int1(0);
      writePacket(out, login.bytes(), login.size(), 1);
      in.readNBytes(4 + 7);
      byte[] commands = {2, 3, 4, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1f, 0x1c};
      garbage[0] = commands[random.nextInt(commands.length)];
    }
    if (kind == 0) {
      out.write(garbage);
    } else {
      writePacket(out, garbage, garbage.length, kind == 1 ? 1 : 0);
    }
    out.flush();
    socket.shutdownOutput();
    in.readAllBytes();
  }

  private static void writePacket(OutputStream out, byte[] bytes, int length, int sequence)
      throws IOException {
    out.write(length);
    out.write(length >> 8);
    out.write(length >> 16);
    out.write(sequence);
    out.write(bytes, 0, length);
  }
}
