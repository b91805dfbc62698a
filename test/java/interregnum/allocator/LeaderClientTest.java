package interregnum.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import interregnum.runtime.Outcome;
import interregnum.runtime.SystemRuntime;
import interregnum.transport.Transport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LeaderClientTest {

  private static final ClientOptions QUICK =
      new ClientOptions(
          Duration.ofMillis(100),
          Duration.ofMillis(300),
          Duration.ofMillis(1),
          Duration.ofMillis(20),
          Duration.ofSeconds(1));
  private static final LeaderReply GRANTED = new LeaderReply.Granted(4, 5, 11);
  private static final AllocResult ALLOCATED = new AllocResult.Allocated(4, 5, 11);

  /** What leaders answer, one after another; the last one for ever. */
  private final Deque<Outcome<byte[]>> replies = new ArrayDeque<>();

  private final Deque<Outcome<Optional<String>>> leaders = new ArrayDeque<>();
  private final List<String> asked = new ArrayList<>();
  private final List<byte[]> requests = new ArrayList<>();
  private int lookups;

  private LeaderClient client() {
    Transport transport =
        (address, method, request, timeout) -> {
          asked.add(address);
          requests.add(request);
          return replies.size() > 1 ? replies.poll() : replies.peek();
        };
    LeaderLookup lookup =
        () -> {
          lookups++;
          return leaders.size() > 1 ? leaders.poll() : leaders.peek();
        };
    return new LeaderClient(
        new SystemRuntime(1, (task, cause) -> {}), transport, lookup, "n1", QUICK);
  }

  private void leads(String address) {
    leaders.add(Outcome.done(Optional.of(address)));
  }

  private void replies(LeaderReply reply) {
    replies.add(Outcome.done(LeaderCodec.encode(reply)));
  }

  private AllocResult alloc(LeaderClient client) throws InterruptedException {
    return client.alloc(7, 1, Spacing.DENSE, false);
  }

  private RebaseResult force(LeaderClient client) throws InterruptedException {
    return client.rebase(7, 100, true, false);
  }

  @Test
  void remembersTheLeader() throws Exception {
    leads("a");
    replies(GRANTED);
    LeaderClient client = client();
    for (int i = 0; i < 100; i++) {
      assertThat(alloc(client)).isEqualTo(ALLOCATED);
    }
    assertThat(lookups).isBetween(1, 20);
    assertThat(asked).hasSize(100).containsOnly("a");
  }

  @Test
  void looksForTheLeaderAnewAfterAWhile() throws Exception {
    leads("a");
    leads("b");
    leaders.add(Outcome.failed("no etcd"));
    replies(GRANTED);
    LeaderClient client = client();
    alloc(client);
    for (int i = 0; i < 2; i++) {
      Thread.sleep(1_050);
      assertThat(alloc(client)).isEqualTo(ALLOCATED);
    }
    assertThat(asked).containsExactly("a", "b", "b");
    assertThat(lookups).isEqualTo(3);
  }

  @Test
  void looksForAnotherLeaderWhenOneDoesNotAnswerOrDoesNotLead() throws Exception {
    leads("a");
    leads("b");
    leads("c");
    leads("d");
    replies.add(Outcome.failed("refused"));
    replies.add(Outcome.unknown("timed out"));
    replies(new LeaderReply.NotLeader());
    replies(GRANTED);
    assertThat(alloc(client())).isEqualTo(ALLOCATED);
    assertThat(asked).containsExactly("a", "b", "c", "d");
  }

  @Test
  void waitsForALeaderWhileThereIsNone() throws Exception {
    leaders.add(Outcome.done(Optional.empty()));
    leaders.add(Outcome.failed("no etcd"));
    leads("a");
    replies(GRANTED);
    assertThat(alloc(client())).isEqualTo(ALLOCATED);
    assertThat(lookups).isEqualTo(3);
  }

  @Test
  void givesUpWithinItsBound() throws Exception {
    leaders.add(Outcome.done(Optional.empty()));
    long start = System.nanoTime();
    assertThat(alloc(client())).isEqualTo(new AllocResult.Unavailable("nobody leads"));
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofMillis(300), Duration.ofSeconds(2));
    assertThat(lookups).isBetween(10, 100);
  }

  @Test
  void doesNotRepeatWhatIsFinal() throws Exception {
    leads("a");
    replies(new LeaderReply.Exhausted());
    assertThat(alloc(client())).isEqualTo(new AllocResult.Exhausted());
    assertThat(asked).hasSize(1);
  }

  @Test
  void knowsThatARebaseDidNotHappenIfEveryLeaderRefused() throws Exception {
    leads("a");
    replies(new LeaderReply.NotLeader());
    replies(new LeaderReply.Failed("no store"));
    replies.add(Outcome.failed("refused"));
    assertThat(force(client())).isInstanceOf(RebaseResult.Unavailable.class);
  }

  @Test
  void doesNotKnowWhetherARebaseHappenedOnceOneAttemptWasNotAnswered() throws Exception {
    for (Outcome<byte[]> silence :
        List.of(
            Outcome.<byte[]>unknown("timed out"),
            Outcome.done(new byte[] {99}),
            Outcome.done(LeaderCodec.encode(new LeaderReply.Unknown("no store"))))) {
      leads("a");
      replies.clear();
      replies.add(silence);
      replies.add(Outcome.failed("refused"));
      assertThat(force(client())).isInstanceOf(RebaseResult.Undetermined.class);
    }
  }

  @Test
  void repeatsARebaseUnderTheSameNameAndNamesEveryRebaseAnew() throws Exception {
    leads("a");
    replies.add(Outcome.unknown("timed out"));
    replies(new LeaderReply.Moved(11));
    LeaderClient client = client();
    assertThat(force(client)).isEqualTo(new RebaseResult.Rebased(11));
    force(client);
    List<String> names =
        requests.stream().map(r -> LeaderCodec.decodeRebase(r).requestId()).toList();
    assertThat(names).hasSize(3);
    assertThat(names.get(1)).isEqualTo(names.get(0));
    assertThat(names.get(2)).isNotEqualTo(names.get(0));
  }
}
