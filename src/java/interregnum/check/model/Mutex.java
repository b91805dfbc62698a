package interregnum.check.model;

/**
 * A lock that does not look at who releases it.
 *
 * <p>Calls: {@code acquire}, {@code release}. The state is whether the lock is held.
 */
public final class Mutex implements Model {

  @Override
  public String name() {
    return "mutex";
  }

  @Override
  public Object initial() {
    return false;
  }

  @Override
  public Object step(Object state, Call call) {
    boolean held = (Boolean) state;
    return switch (call.f()) {
      case "acquire" -> held ? new Inconsistent("already held") : (Object) true;
      case "release" -> held ? (Object) false : new Inconsistent("not held");
      default -> throw new IllegalArgumentException("a mutex has no operation " + call.f());
    };
  }

  @Override
  public java.util.Optional<Call> interpret(Call recorded, Object process, boolean crashed) {
    return java.util.Optional.of(Call.of(recorded.f(), null));
  }
}
