package interregnum.arch;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;

/** What node code may use. The rules are values, so that a test can also see them refuse. */
final class NodeRules {
  private static final String ROOT = "interregnum.";

  /** Names that begin so are adapters: they are where the world begins. */
  private static final Set<String> ADAPTERS = Set.of("System", "Jetcd", "Grpc");

  private static final Set<String> CLOCK_CALLS = Set.of("nanoTime", "currentTimeMillis", "exit");
  private static final Set<String> WAIT_CALLS = Set.of("wait", "notify", "notifyAll");

  private NodeRules() {}

  /** The outermost class decides, so that nested and anonymous classes of adapters count too. */
  private static DescribedPredicate<JavaClass> adapter() {
    return describe(
        "an adapter",
        c -> {
          String name = c.getName().substring(c.getPackageName().length() + 1);
          return ADAPTERS.stream().anyMatch(name::startsWith);
        });
  }

  private static DescribedPredicate<JavaClass> nodeCode() {
    return resideInAnyPackage(
            "..owner..", "..allocator..", "..coordinator..", "..schema..", "..table..", "..sql..",
            "..store..", "..failpoint..", "..defect..", "..transport..", "..etcd..", "..runtime..")
        .and(not(adapter()))
        .as("node code");
  }

  private static DescribedPredicate<JavaClass> theWorld() {
    return resideInAnyPackage(
            "java.net..", "java.nio.file..", "java.nio.channels..", "java.util.concurrent.locks..",
            "java.sql..", "javax.net..", "java.net.http..")
        .or(
            describe(
                "threads, executors, waiting, chance, clocks or files",
                c ->
                    Set.of(
                            "java.lang.Thread",
                            "java.lang.Runtime",
                            "java.lang.ProcessBuilder",
                            "java.util.Random",
                            "java.util.SplittableRandom",
                            "java.security.SecureRandom",
                            "java.util.UUID",
                            "java.util.Timer",
                            "java.time.Instant",
                            "java.time.Clock",
                            "java.time.LocalDateTime",
                            "java.io.File",
                            "java.io.FileInputStream",
                            "java.io.FileOutputStream",
                            "java.io.RandomAccessFile",
                            "java.util.concurrent.ThreadLocalRandom",
                            "java.util.concurrent.TimeUnit",
                            "java.util.concurrent.Executor",
                            "java.util.concurrent.ExecutorService",
                            "java.util.concurrent.Executors",
                            "java.util.concurrent.ForkJoinPool",
                            "java.util.concurrent.Future",
                            "java.util.concurrent.CompletableFuture",
                            "java.util.concurrent.CountDownLatch",
                            "java.util.concurrent.CyclicBarrier",
                            "java.util.concurrent.Semaphore",
                            "java.util.concurrent.BlockingQueue",
                            "java.util.concurrent.LinkedBlockingQueue",
                            "java.util.concurrent.ArrayBlockingQueue")
                        .contains(c.getName())));
  }

  /** Time, tasks, waiting, chance, network and files come through the given interfaces alone. */
  static ArchRule worldOnlyThroughInterfaces() {
    return noClasses()
        .that(nodeCode())
        .should()
        .dependOnClassesThat(theWorld())
        .as("node code knows the world only through the interfaces it is given");
  }

  /** Static calls that no dependency on a class shows. */
  static ArchRule noHiddenClockNorWait() {
    return noClasses()
        .that(nodeCode())
        .should()
        .accessTargetWhere(
            describe(
                "it is a clock, Math.random, an identity hash or Object.wait",
                (JavaAccess<?> access) -> isForbidden(access.getTarget())))
        .as("node code calls no clock, chance or wait of the Java platform");
  }

  private static boolean isForbidden(AccessTarget target) {
    String owner = target.getOwner().getName();
    String name = target.getName();
    return switch (owner) {
      case "java.lang.System" -> CLOCK_CALLS.contains(name) || name.equals("identityHashCode");
      case "java.lang.Math" -> name.equals("random");
      default -> WAIT_CALLS.contains(name) && owner.equals("java.lang.Object");
    };
  }

  /** Who may know whom. */
  static ArchRule layers() {
    return layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .withOptionalLayers(true)
        .layer("runtime").definedBy(ROOT + "runtime..")
        .layer("failpoint").definedBy(ROOT + "failpoint..")
        .layer("etcd").definedBy(ROOT + "etcd..")
        .layer("transport").definedBy(ROOT + "transport..")
        .layer("store").definedBy(ROOT + "store..")
        .layer("owner").definedBy(ROOT + "owner..")
        .layer("table").definedBy(ROOT + "table..")
        .layer("allocator").definedBy(ROOT + "allocator..")
        .layer("schema").definedBy(ROOT + "schema..")
        .layer("coordinator").definedBy(ROOT + "coordinator..")
        .layer("sql").definedBy(ROOT + "sql..")
        .layer("defect").definedBy(ROOT + "defect..")
        .layer("server").definedBy(ROOT + "server..")
        .whereLayer("server").mayNotBeAccessedByAnyLayer()
        .whereLayer("defect").mayOnlyBeAccessedByLayers("server")
        .whereLayer("sql").mayOnlyBeAccessedByLayers("defect", "server")
        .whereLayer("coordinator").mayOnlyBeAccessedByLayers("sql", "defect", "server")
        .whereLayer("schema")
        .mayOnlyBeAccessedByLayers("coordinator", "sql", "defect", "server")
        .whereLayer("allocator")
        .mayOnlyBeAccessedByLayers("coordinator", "sql", "defect", "server")
        .whereLayer("table")
        .mayOnlyBeAccessedByLayers("allocator", "schema", "coordinator", "sql", "server")
        .whereLayer("owner")
        .mayOnlyBeAccessedByLayers(
            "allocator", "schema", "coordinator", "sql", "defect", "server")
        .whereLayer("store")
        .mayOnlyBeAccessedByLayers(
            "owner", "table", "allocator", "schema", "coordinator", "sql", "server")
        .whereLayer("etcd")
        .mayOnlyBeAccessedByLayers(
            "store", "owner", "allocator", "schema", "coordinator", "sql", "server")
        .as("each layer of the nodes knows only those below it");
  }

  /** Checkers stand alone: a bug shared with the nodes would hide itself. */
  static ArchRule checkersStandAlone() {
    return noClasses()
        .that()
        .resideInAPackage(ROOT + "check..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("interregnum..").and(not(resideInAPackage(ROOT + "check.."))))
        .allowEmptyShould(true)
        .as("checkers depend on nothing of the nodes");
  }
}
