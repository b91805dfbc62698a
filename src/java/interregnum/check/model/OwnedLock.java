package interregnum.check.model;

import java.util.Objects;
import java.util.Optional;

/**
 * A lock that only its owner can release, and that its owner may acquire again up to a limit.
 *
 * <p>Calls: {@code acquire owner}, {@code release owner}; without a value the process is the owner.
 * The state is a {@link Hold}.
 *
 * @param name {@code owner-mutex} or {@code reentrant-lock}
 * @param depthMax how often one owner may hold the lock at the same time
 */
public record OwnedLock(String name, int depthMax) implements Model {

  /**
   * Who holds the lock how often.
   *
   * @param owner the holder, or null if the lock is free
   * @param depth how often it is held
   */
  public record Hold(Object owner, int depth) {}

  private static final Hold FREE = new Hold(null, 0);

  @Override
  public Object initial() {
    return FREE;
  }

  @Override
  public Object step(Object state, Call call) {
    Hold hold = (Hold) state;
    Object who = call.value();
    boolean mine = hold.depth() > 0 && Objects.equals(hold.owner(), who);
    return switch (call.f()) {
      case "acquire" -> {
        if (hold.depth() > 0 && !mine) {
          yield new Inconsistent("already held by " + Text.of(hold.owner()));
        }
        yield hold.depth() == depthMax
            ? new Inconsistent("already held " + depthMax + " times")
            : new Hold(who, hold.depth() + 1);
      }
      case "release" -> {
        if (!mine) {
          yield new Inconsistent("not held by " + Text.of(who));
        }
        yield hold.depth() == 1 ? FREE : new Hold(who, hold.depth() - 1);
      }
      default -> throw new IllegalArgumentException("a " + name + " has no operation " + call.f());
    };
  }

  @Override
  public Optional<Call> interpret(Call recorded, Object process, boolean crashed) {
    return Optional.of(recorded.value() == null ? recorded.withValue(process) : recorded);
  }
}
