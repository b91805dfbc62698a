package interregnum.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import interregnum.etcd.TxnRequest.Compare;
import interregnum.etcd.TxnRequest.Write;
import interregnum.runtime.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class JetcdEtcdTest {
  @RegisterExtension static final EtcdServer SERVER = new EtcdServer();

  private static final Duration SHORT = Duration.ofMillis(300);
  private static final Duration LONG = Duration.ofSeconds(10);
  private static final String NOBODY = "127.0.0.1:1";

  private static JetcdEtcd etcd;

  @BeforeAll
  static void connect() throws InterruptedException {
    etcd = SERVER.client();
    etcd.warmUp(LONG);
  }

  @AfterAll
  static void disconnect() {
    etcd.close();
  }

  @BeforeEach
  void clear() {
    SERVER.clear();
  }

  static <T> T done(Outcome<T> outcome) {
    assertThat(outcome).isInstanceOf(Outcome.Done.class);
    return ((Outcome.Done<T>) outcome).value();
  }

  @Test
  void readsWhatWasPutWithItsRevisions() throws InterruptedException {
    long revision = done(etcd.put("/k/ä", "wert ß", 0, LONG));
    Read<Optional<KeyValue>> read = done(etcd.get("/k/ä", LONG));
    assertThat(read.value()).contains(new KeyValue("/k/ä", "wert ß", revision, revision, 0));
    assertThat(done(etcd.get("/k/missing", LONG)).value()).isEmpty();
  }

  @Test
  void readsARangeAsItStoodAtARevision() throws InterruptedException {
    etcd.put("/r/b", "1", 0, LONG);
    long then = done(etcd.put("/r/a", "1", 0, LONG));
    etcd.put("/r/a", "2", 0, LONG);
    etcd.put("/s", "1", 0, LONG);
    KeyRange range = KeyRange.prefix("/r/").at(then);
    assertThat(done(etcd.range(range, LONG)).value())
        .extracting(kv -> kv.key() + "=" + kv.value())
        .containsExactly("/r/a=1", "/r/b=1");
  }

  @Test
  void writesATransactionOnlyIfEveryCompareHoldsAndTellsWhatItFound() throws InterruptedException {
    long revision = done(etcd.put("/t", "1", 0, LONG));
    TxnReply refused =
        done(
            etcd.txn(
                new TxnRequest(
                    List.of(
                        new Compare.CreateRevisionIs("/u", 0),
                        new Compare.ModRevisionAtMost("/t", revision - 1)),
                    List.of(new Write.Put("/u", "1", 0)),
                    List.of("/t", "/u")),
                LONG));
    assertThat(refused.succeeded()).isFalse();
    assertThat(refused.found().get(0)).map(KeyValue::value).contains("1");
    assertThat(refused.found().get(1)).isEmpty();
    TxnReply accepted =
        done(
            etcd.txn(
                new TxnRequest(
                    List.of(
                        new Compare.ModRevisionAtMost("/t", revision),
                        new Compare.ModRevisionIs("/t", revision)),
                    List.of(new Write.Delete("/t"), new Write.Put("/u", "1", 0))),
                LONG));
    assertThat(accepted.succeeded()).isTrue();
    assertThat(accepted.revision()).isEqualTo(revision + 1);
    assertThat(done(etcd.get("/t", LONG)).value()).isEmpty();
  }

  @Test
  void saysThatALeaseIsGone() throws InterruptedException {
    long lease = done(etcd.grantLease(Duration.ofSeconds(30), LONG));
    etcd.put("/leased", "1", lease, LONG);
    assertThat(done(etcd.keepAlive(lease, LONG))).isEqualTo(Duration.ofSeconds(30));
    assertThat(done(etcd.revokeLease(lease, LONG))).isTrue();
    assertThat(done(etcd.keepAlive(lease, LONG))).isEqualTo(Duration.ZERO);
    assertThat(done(etcd.get("/leased", LONG)).value()).isEmpty();
    assertThat(etcd.put("/leased", "2", lease, LONG)).isInstanceOf(Outcome.Failed.class);
    assertThat(etcd.revokeLease(lease, LONG)).isInstanceOf(Outcome.Failed.class);
  }

  @Test
  void watchesFromARevisionAndEndsWhenClosed() throws InterruptedException {
    long first = done(etcd.put("/w/1", "a", 0, LONG));
    etcd.txn(new TxnRequest(List.of(), List.of(new Write.Delete("/w/1"))), LONG);
    Watch watch = etcd.watch("/w/", first);
    assertThat(watch.poll(LONG))
        .contains(new WatchEvent.Put(new KeyValue("/w/1", "a", first, first, 0)));
    assertThat(watch.poll(LONG)).contains(new WatchEvent.Deleted("/w/1", first + 1));
    assertThat(watch.poll(Duration.ofMillis(50))).isEmpty();
    watch.close();
    assertThat(watch.poll(LONG)).contains(new WatchEvent.Ended("closed"));
  }

  @Test
  void answersUnknownToAWriteWithoutReplyAndFailedToARead() throws InterruptedException {
    SERVER.pause();
    try {
      assertThat(etcd.put("/maybe", "1", 0, SHORT)).isInstanceOf(Outcome.Unknown.class);
      assertThat(etcd.get("/maybe", SHORT)).isInstanceOf(Outcome.Failed.class);
    } finally {
      SERVER.resume();
    }
    await()
        .atMost(LONG)
        .untilAsserted(() -> assertThat(done(etcd.get("/maybe", LONG)).revision()).isPositive());
  }

  @Test
  void answersFailedToAWriteThatNeverLeft() throws InterruptedException {
    try (JetcdEtcd alone = new JetcdEtcd(List.of(NOBODY))) {
      assertThat(alone.put("/k", "1", 0, LONG)).isInstanceOf(Outcome.Failed.class);
    }
  }

  @Test
  void goesOnAtTheNextEndpoint() throws InterruptedException {
    try (JetcdEtcd both = new JetcdEtcd(List.of(NOBODY, SERVER.url()))) {
      done(both.put("/failover", "1", 0, LONG));
      assertThat(done(both.get("/failover", LONG)).value()).map(KeyValue::value).contains("1");
    }
  }

  @Test
  void endsWatchesAndRecoversWhenTheServerDies() throws InterruptedException {
    Watch watch = etcd.watch("/d/", 0);
    assertThat(watch.poll(SHORT)).isEmpty();
    SERVER.kill();
    assertThat(watch.poll(LONG)).get().isInstanceOf(WatchEvent.Ended.class);
    assertThat(etcd.get("/d/", SHORT)).isInstanceOf(Outcome.Failed.class);
    SERVER.restart();
    await()
        .atMost(LONG)
        .untilAsserted(
            () -> assertThat(etcd.put("/d/1", "1", 0, SHORT)).isInstanceOf(Outcome.Done.class));
  }
}
