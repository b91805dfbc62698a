package interregnum.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import interregnum.etcd.EtcdServer;
import interregnum.etcd.JetcdEtcd;
import interregnum.runtime.Outcome;
import interregnum.runtime.SystemRuntime;
import interregnum.runtime.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EtcdStoreTest {
  @RegisterExtension static final EtcdServer SERVER = new EtcdServer();

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final StoreLimits LIMITS =
      new StoreLimits(Duration.ofSeconds(2), Duration.ofMillis(300), Duration.ofMillis(900));

  private static JetcdEtcd etcd;

  private final SystemRuntime runtime =
      new SystemRuntime(
          1,
          (task, cause) -> {
            throw new AssertionError(task, cause);
          });
  private final EtcdStore store = new EtcdStore(runtime, etcd, "n1", LIMITS);

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

  private void write(String key, String value) throws InterruptedException {
    StoreTxn txn = store.begin();
    txn.put(key, value);
    assertThat(txn.commit()).isInstanceOf(CommitResult.Committed.class);
  }

  private void remove(String key) throws InterruptedException {
    StoreTxn txn = store.begin();
    txn.delete(key);
    assertThat(txn.commit()).isInstanceOf(CommitResult.Committed.class);
  }

  @Test
  void readsItsSnapshotAndItsOwnWrites() throws InterruptedException {
    write("a", "1");
    write("c", "1");
    StoreTxn txn = store.begin();
    write("a", "2");
    write("b", "2");
    assertThat(txn.get("a")).contains("1");
    assertThat(txn.get("b")).isEmpty();
    txn.put("d", "own");
    txn.delete("c");
    assertThat(txn.get("d")).contains("own");
    assertThat(txn.scan("a", "z", 0))
        .containsExactly(new StoreTxn.Entry("a", "1"), new StoreTxn.Entry("d", "own"));
    assertThat(txn.scan("a", "z", 1)).containsExactly(new StoreTxn.Entry("a", "1"));
  }

  @Test
  void scansManyPagesInKeyOrder() throws InterruptedException {
    StoreTxn txn = store.begin();
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 4_500; i++) {
      keys.add(String.format("page/%05d", i));
      txn.put(keys.get(i), "v");
    }
    assertThat(txn.commit()).isInstanceOf(CommitResult.Committed.class);
    StoreTxn reader = store.begin();
    reader.delete(keys.get(2_000));
    reader.put("page/01999x", "own");
    keys.set(2_000, "page/01999x");
    assertThat(reader.scan("page/", "page0", 0)).extracting(StoreTxn.Entry::key).isEqualTo(keys);
    assertThat(reader.scan("page/", "page0", 3_000))
        .extracting(StoreTxn.Entry::key)
        .isEqualTo(keys.subList(0, 3_000));
  }

  @Test
  void branchesIntoTransactionsOnTheSameSnapshot() throws InterruptedException {
    write("a", "1");
    write("b", "1");
    StoreTxn txn = store.begin();
    assertThat(txn.scan("a", "z", 0)).hasSize(2);
    txn.put("c", "not in the branch");
    StoreTxn first = txn.branch();
    StoreTxn second = txn.branch();
    write("a", "2");
    assertThat(first.get("a")).contains("1");
    assertThat(first.get("c")).isEmpty();
    first.lock("a");
    first.put("x", "1");
    second.lock("b");
    second.put("y", "1");
    assertThat(first.commit()).isEqualTo(new CommitResult.Conflict());
    assertThat(second.commit()).isInstanceOf(CommitResult.Committed.class);
    assertThat(store.begin().scan("x", "z", 0)).containsExactly(new StoreTxn.Entry("y", "1"));
  }

  @Test
  void conflictsInABranchWithADeletionOfALockedKey() throws InterruptedException {
    write("a", "1");
    StoreTxn txn = store.begin();
    assertThat(txn.scan("a", "z", 0)).hasSize(1);
    StoreTxn branch = txn.branch();
    remove("a");
    branch.lock("a");
    branch.putGuarded("x", "1");
    assertThat(branch.commit()).isEqualTo(new CommitResult.Conflict());
  }

  @Test
  void writesAGuardedKeyWhateverStandsThere() throws InterruptedException {
    write("k", "1");
    StoreTxn guarded = store.begin();
    StoreTxn compared = store.begin();
    write("k", "2");
    guarded.putGuarded("k", "3");
    assertThat(guarded.commit()).isInstanceOf(CommitResult.Committed.class);
    compared.putGuarded("k", "4");
    compared.put("k", "5");
    assertThat(compared.commit()).isEqualTo(new CommitResult.Conflict());
    assertThat(store.begin().get("k")).contains("3");
  }

  @Test
  void letsTheFirstCommitterWin() throws InterruptedException {
    write("k", "0");
    StoreTxn first = store.begin();
    StoreTxn second = store.begin();
    StoreTxn blind = store.begin();
    first.put("k", first.get("k").orElseThrow() + "a");
    second.put("k", second.get("k").orElseThrow() + "b");
    blind.put("k", "blind");
    assertThat(first.commit()).isInstanceOf(CommitResult.Committed.class);
    assertThat(second.commit()).isEqualTo(new CommitResult.Conflict());
    assertThat(blind.commit()).isEqualTo(new CommitResult.Conflict());
    assertThat(store.begin().get("k")).contains("0a");
  }

  @Test
  void conflictsWhenAReadKeyWasDeletedOrALockedOneChanged() throws InterruptedException {
    write("k", "0");
    StoreTxn reader = store.begin();
    reader.put("k", reader.get("k").orElseThrow());
    StoreTxn locker = store.begin();
    locker.lock("k");
    locker.put("other", "1");
    remove("k");
    assertThat(reader.commit()).isEqualTo(new CommitResult.Conflict());
    assertThat(locker.commit()).isEqualTo(new CommitResult.Conflict());
    assertThat(store.begin().get("other")).isEmpty();
  }

  @Test
  void conflictsWhenAnAbsentKeyWasCreated() throws InterruptedException {
    StoreTxn txn = store.begin();
    assertThat(txn.get("k")).isEmpty();
    txn.put("k", "mine");
    write("k", "theirs");
    assertThat(txn.commit()).isEqualTo(new CommitResult.Conflict());
  }

  @Test
  void tellsAFenceFromAConflict() throws InterruptedException {
    long created = ((Outcome.Done<Long>) etcd.put("/owner", "n1", 0, LONG)).value();
    StoreTxn holds = store.begin();
    holds.require(new Fence("/owner", created));
    holds.put("k", "1");
    assertThat(holds.commit()).isInstanceOf(CommitResult.Committed.class);
    StoreTxn conflicting = store.begin();
    conflicting.require(new Fence("/owner", created));
    conflicting.put("k", "2");
    write("k", "3");
    assertThat(conflicting.commit()).isEqualTo(new CommitResult.Conflict());
    StoreTxn fenced = store.begin();
    fenced.require(new Fence("/owner", created - 1));
    fenced.put("k", "4");
    assertThat(fenced.commit()).isEqualTo(new CommitResult.Fenced());
    StoreTxn onlyFence = store.begin();
    onlyFence.require(new Fence("/nobody", created));
    assertThat(onlyFence.commit()).isEqualTo(new CommitResult.Fenced());
  }

  @Test
  void settlesACommitWhoseReplyWasLost() throws InterruptedException {
    write("k", "0");
    StoreTxn txn = store.begin();
    txn.put("k", "1");
    SERVER.pause();
    Task waker =
        runtime.spawn(
            "waker",
            () -> {
              runtime.sleep(Duration.ofMillis(600));
              SERVER.resume();
            });
    CommitResult result = txn.commit();
    assertThat(waker.join(LONG)).isTrue();
    boolean committed = store.begin().get("k").orElseThrow().equals("1");
    assertThat(result)
        .isInstanceOf(committed ? CommitResult.Committed.class : CommitResult.Failed.class);
    write("k", "2");
  }

  @Test
  void leavesACommitUnknownWhileNobodyAnswers() throws InterruptedException {
    write("k", "0");
    StoreTxn txn = store.begin();
    txn.put("k", "1");
    SERVER.pause();
    try {
      assertThat(txn.commit()).isInstanceOf(CommitResult.Unknown.class);
      assertThatThrownBy(store::begin).isInstanceOf(StoreUnavailableException.class);
    } finally {
      SERVER.resume();
    }
  }

  @Test
  void repeatsATransactionOnConflictOnly() throws InterruptedException {
    Transactions transactions = new Transactions(runtime, store, 50);
    int tasks = 4;
    int rounds = 10;
    List<Task> all = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      all.add(
          runtime.spawn(
              "incrementer " + i,
              () -> {
                for (int round = 0; round < rounds; round++) {
                  assertThat(transactions.run(EtcdStoreTest::increment).isCommitted()).isTrue();
                }
              }));
    }
    for (Task task : all) {
      assertThat(task.join(LONG)).isTrue();
    }
    assertThat(store.begin().get("counter")).contains(Integer.toString(tasks * rounds));
    Transactions once = new Transactions(runtime, store, 1);
    Transactions.Ended<Integer> beaten =
        once.run(
            txn -> {
              int value = increment(txn);
              write("counter", "0");
              return value;
            });
    assertThat(beaten.result()).isEqualTo(new CommitResult.Conflict());
  }

  private static int increment(StoreTxn txn) throws InterruptedException {
    int next = Integer.parseInt(txn.get("counter").orElse("0")) + 1;
    txn.put("counter", Integer.toString(next));
    return next;
  }
}
