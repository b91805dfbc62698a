package interregnum.allocator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import interregnum.transport.RequestRefusedException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LeaderCodecTest {

  @Test
  void readsBackWhatItWrote() {
    AllocRequest alloc = new AllocRequest(-3, 7, new Spacing(66, 9_527), true);
    assertThat(LeaderCodec.decodeAlloc(LeaderCodec.encode(alloc))).isEqualTo(alloc);
    RebaseRequest rebase = new RebaseRequest(12, -1, true, false, "n1-é-1");
    assertThat(LeaderCodec.decodeRebase(LeaderCodec.encode(rebase))).isEqualTo(rebase);
    List<LeaderReply> replies =
        List.of(
            new LeaderReply.Granted(1, -1, 9),
            new LeaderReply.Moved(Long.MIN_VALUE),
            new LeaderReply.Exhausted(),
            new LeaderReply.NotLeader(),
            new LeaderReply.Failed(""),
            new LeaderReply.Unknown("why — so"));
    for (LeaderReply reply : replies) {
      assertThat(LeaderCodec.decodeReply(LeaderCodec.encode(reply))).isEqualTo(reply);
    }
  }

  @Test
  void refusesWhatIsTooShortTooLongOrOutOfRange() {
    byte[] good = LeaderCodec.encode(new AllocRequest(1, 1, Spacing.DENSE, false));
    assertThatThrownBy(() -> LeaderCodec.decodeAlloc(Arrays.copyOf(good, good.length - 1)))
        .isInstanceOf(RequestRefusedException.class);
    assertThatThrownBy(() -> LeaderCodec.decodeAlloc(Arrays.copyOf(good, good.length + 1)))
        .isInstanceOf(RequestRefusedException.class);
    byte[] negative = good.clone();
    negative[8] = -1;
    assertThatThrownBy(() -> LeaderCodec.decodeAlloc(negative))
        .isInstanceOf(RequestRefusedException.class);
    byte[] noIncrement = good.clone();
    noIncrement[15] = 0;
    assertThatThrownBy(() -> LeaderCodec.decodeAlloc(noIncrement))
        .isInstanceOf(RequestRefusedException.class);
  }

  @Test
  void refusesNoiseAndNeverFailsOtherwise() {
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    for (int i = 0; i < 3_000; i++) {
      byte[] noise = new byte[random.nextInt(40)];
      random.nextBytes(noise);
      for (Runnable read :
          List.<Runnable>of(
              () -> LeaderCodec.decodeAlloc(noise),
              () -> LeaderCodec.decodeRebase(noise),
              () -> LeaderCodec.decodeReply(noise))) {
        try {
          read.run();
        } catch (RequestRefusedException e) {
          assertThat(e).as("seed=%d", seed).hasMessageStartingWith("malformed message");
        }
      }
    }
  }
}
