package interregnum.check.model;

import java.util.Optional;

/**
 * A lock whose every holder gets a token greater than all earlier ones, and effects that are
 * allowed to the newest holder alone.
 *
 * <p>Calls: {@code acquire token}, {@code release token}, {@code effect token}. A new holder may
 * take over without a release, as happens when a lease expires; from then on the old token must
 * have no effect. The state is a {@link Tenure}.
 */
public final class FencedLock implements Model {

  /**
   * The newest holder.
   *
   * @param token the greatest token handed out, or {@link Long#MIN_VALUE} before the first
   * @param held whether its holder has not released it
   */
  public record Tenure(long token, boolean held) {}

  @Override
  public String name() {
    return "fenced-lock";
  }

  @Override
  public Object initial() {
    return new Tenure(Long.MIN_VALUE, false);
  }

  @Override
  public Object step(Object state, Call call) {
    Tenure tenure = (Tenure) state;
    long token = Integers.of(call);
    boolean current = tenure.held() && tenure.token() == token;
    return switch (call.f()) {
      case "acquire" ->
          token > tenure.token()
              ? new Tenure(token, true)
              : new Inconsistent("token " + token + " is not above " + tenure.token());
      case "release" ->
          current ? new Tenure(token, false) : new Inconsistent("token " + token + " is not held");
      case "effect" ->
          current ? tenure : new Inconsistent("effect of token " + token + ", which is not held");
      default -> throw new IllegalArgumentException("a fenced lock has no operation " + call.f());
    };
  }

  @Override
  public Effect effect(Call call) {
    return call.f().equals("effect") ? Effect.READ : Effect.UPDATE;
  }

  @Override
  public Optional<Call> interpret(Call recorded, Object process, boolean crashed) {
    return crashed && (recorded.value() == null || recorded.f().equals("effect"))
        ? Optional.empty()
        : Optional.of(recorded);
  }

  @Override
  public Kind kind() {
    return Kind.FENCED_LOCK;
  }

  @Override
  public boolean fewStates() {
    return false;
  }
}
