package interregnum.arch.owner;

import java.io.IOException;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Does everything that node code may not do; its package's name makes it count as node code. */
public final class RuleBreaker {
  private final ReentrantLock lock = new ReentrantLock();

  public long breakEveryRule(String host) throws IOException, InterruptedException {
    new Thread(lock::lock).start();
    TimeUnit.SECONDS.sleep(1);
    synchronized (this) {
      wait(1);
    }
    try (Socket socket = new Socket(host, 1)) {
      return System.nanoTime()
          + System.currentTimeMillis()
          + (long) Math.random()
          + new Random().nextInt()
          + socket.getPort();
    }
  }
}
