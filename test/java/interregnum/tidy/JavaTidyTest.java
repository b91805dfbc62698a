package interregnum.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The house style's limits for Java, as a test. */
final class JavaTidyTest {
  private static final int CLASS_LINES_MAX = 500;
  private static final int METHOD_LINES_MAX = 60;
  private static final int PARAMETERS_MAX = 5;
  private static final int WIDTH_MAX = 100;

  private static List<JavaSource> sources;

  @BeforeAll
  static void readSources() throws IOException {
    sources = JavaSource.under(Path.of("src/java"));
  }

  @Test
  void filesAreShort() {
    assertThat(sources)
        .isNotEmpty()
        .allSatisfy(
            source ->
                assertThat(source.lines()).as("%s", source.path()).hasSizeLessThanOrEqualTo(
                    CLASS_LINES_MAX));
  }

  @Test
  void linesFitTheWidth() {
    assertThat(sources.stream().flatMap(source -> source.linesWiderThan(WIDTH_MAX).stream()))
        .isEmpty();
  }

  @Test
  void methodsAreShort() {
    assertThat(
            sources.stream()
                .flatMap(source -> source.methods().stream())
                .filter(method -> method.codeLines() > METHOD_LINES_MAX))
        .isEmpty();
  }

  @Test
  void methodsTakeFewParameters() {
    assertThat(
            sources.stream()
                .flatMap(source -> source.methods().stream())
                .filter(method -> method.parameterCount() > PARAMETERS_MAX))
        .isEmpty();
  }

  @Test
  void publicTypesAreDocumented() {
    assertThat(sources.stream().flatMap(source -> source.undocumentedPublicTypes().stream()))
        .isEmpty();
  }

  @Test
  void namesSayWhatAThingIs() {
    assertThat(sources)
        .allSatisfy(
            source ->
                assertThat(source.path().getFileName().toString())
                    .doesNotMatch(".*(Impl|Manager|Helper|Utils?)\\.java"));
  }

  @Test
  void findsALongMethod() {
    String body = "    n++;\n".repeat(METHOD_LINES_MAX + 1);
    JavaSource source =
        JavaSource.parse(
            Path.of("Long.java"), "class Long {\n  void f(int n) {\n" + body + "  }\n}\n");
    assertThat(source.methods()).singleElement().satisfies(
        method -> assertThat(method.codeLines()).isGreaterThan(METHOD_LINES_MAX));
  }

  @Test
  void findsAnUndocumentedType() {
    JavaSource source =
        JavaSource.parse(Path.of("Bare.java"), "public final class Bare {\n}\n");
    assertThat(source.undocumentedPublicTypes()).containsExactly("Bare.java: Bare");
  }
}
