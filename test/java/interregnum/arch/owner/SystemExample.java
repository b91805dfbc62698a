package interregnum.arch.owner;

/** An adapter by its name, so it may use threads. */
public final class SystemExample {

  public void start() {
    new Thread(() -> {}).start();
  }
}
