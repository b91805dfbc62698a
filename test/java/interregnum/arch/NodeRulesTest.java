package interregnum.arch;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import interregnum.arch.owner.RuleBreaker;
import interregnum.arch.owner.SystemExample;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeRulesTest {
  private static final JavaClasses NODES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("interregnum");
  private static final JavaClasses BREAKER = new ClassFileImporter().importClasses(RuleBreaker.class);

  @Test
  void nodeCodeKnowsTheWorldOnlyThroughInterfaces() {
    NodeRules.worldOnlyThroughInterfaces().check(NODES);
    NodeRules.noHiddenClockNorWait().check(NODES);
  }

  @Test
  void layersKnowOnlyThoseBelow() {
    NodeRules.layers().check(NODES);
  }

  @Test
  void checkersDependOnNothingOfTheNodes() {
    NodeRules.checkersStandAlone().check(NODES);
  }

  @Test
  void reportsEveryWayInWhichAClassBreaksTheRule() {
    assertThat(violations(NodeRules.worldOnlyThroughInterfaces(), BREAKER))
        .contains("java.lang.Thread", "java.util.Random", "java.net.Socket", "TimeUnit", "locks");
    assertThat(violations(NodeRules.noHiddenClockNorWait(), BREAKER))
        .contains("nanoTime", "currentTimeMillis", "Math.random", "Object.wait");
  }

  @Test
  void letsAdaptersUseTheWorld() {
    JavaClasses adapter = new ClassFileImporter().importClasses(SystemExample.class, List.class);
    ArchRule rule = NodeRules.worldOnlyThroughInterfaces();
    assertThat(rule.allowEmptyShould(true).evaluate(adapter).hasViolation()).isFalse();
  }

  private static String violations(ArchRule rule, JavaClasses classes) {
    return String.join("\n", rule.evaluate(classes).getFailureReport().getDetails());
  }
}
