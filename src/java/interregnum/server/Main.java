package interregnum.server;

import interregnum.defect.Defects;
import java.io.IOException;
import java.io.PrintWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * Starts a node, which runs until it is told to stop or can no longer do its work.
 *
 * <p>Exit codes: 254 for a bad command line; 255 if the node could not start, or failed. A signal
 * to terminate stops it cleanly.
 */
public final class Main {

  private static final int BAD_USAGE = 254;
  private static final int FAILED = 255;

  private Main() {}

  /** Starts a node with these flags. */
  public static void main(String[] args) {
    NodeOptions options = new NodeOptions();
    CommandLine commandLine = new CommandLine(options);
    try {
      commandLine.parseArgs(args);
      if (commandLine.isUsageHelpRequested()) {
        commandLine.usage(System.out);
        return;
      }
      if (commandLine.isVersionHelpRequested()) {
        commandLine.printVersionHelp(System.out);
        return;
      }
      options.check();
      Defects.modes(options.defects());
    } catch (ParameterException | IllegalArgumentException e) {
      fail(BAD_USAGE, e.getMessage().lines().findFirst().orElse("bad flags"));
    }
    NodeLogging.start();
    run(options);
  }

  private static void run(NodeOptions options) {
    Logger log = LoggerFactory.getLogger(Main.class);
    Node node = new Node(options, (task, cause) -> die(log, task, cause));
    Runtime.getRuntime().addShutdownHook(new Thread(node::close, "shutdown"));
    try {
      node.start();
    } catch (IOException | IllegalArgumentException e) {
      fail(FAILED, e.getMessage());
    } catch (InterruptedException e) {
      fail(FAILED, "interrupted while starting");
    }
    waitForever();
  }

  private static void waitForever() {
    try {
      Thread.currentThread().join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the process at once: what a node of which a part has failed still does is worth less. */
  private static void die(Logger log, String task, Throwable cause) {
    log.error("node-failed task={}", task, cause);
    Runtime.getRuntime().halt(FAILED);
  }

  private static void fail(int code, String message) {
    new PrintWriter(System.err, true).println("interregnum-node: " + message);
    Runtime.getRuntime().halt(code);
  }
}
