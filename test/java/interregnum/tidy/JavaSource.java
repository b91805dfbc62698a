package interregnum.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** One Java file as the compiler's own parser sees it. */
final class JavaSource {
  private final Path path;
  private final List<String> lines;
  private final List<Method> methods = new ArrayList<>();
  private final List<String> undocumentedPublicTypes = new ArrayList<>();

  /** A method or constructor with a body. */
  record Method(String where, long codeLines, int parameterCount) {}

  private JavaSource(Path path, String text) {
    this.path = path;
    this.lines = text.lines().toList();
  }

  /** Every Java file below {@code root}, in path order. */
  static List<JavaSource> under(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .sorted()
          .map(file -> parse(file, read(file)))
          .toList();
    }
  }

  static JavaSource parse(Path path, String text) {
    JavaSource source = new JavaSource(path, text);
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, List.of("-proc:none"), null, List.of(file(text)));
    try {
      for (CompilationUnitTree unit : task.parse()) {
        source.new Reader(DocTrees.instance(task), unit).scan(unit, null);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return source;
  }

  Path path() {
    return path;
  }

  List<String> lines() {
    return lines;
  }

  List<Method> methods() {
    return methods;
  }

  List<String> undocumentedPublicTypes() {
    return undocumentedPublicTypes;
  }

  List<String> linesWiderThan(int columns) {
    return IntStream.range(0, lines.size())
        .filter(i -> lines.get(i).codePointCount(0, lines.get(i).length()) > columns)
        .mapToObj(i -> path + ":" + (i + 1))
        .toList();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JavaFileObject file(String text) {
    return new SimpleJavaFileObject(URI.create("string:///Source.java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return text;
      }
    };
  }

  private final class Reader extends TreePathScanner<Void, Void> {
    private final DocTrees trees;
    private final CompilationUnitTree unit;

    Reader(DocTrees trees, CompilationUnitTree unit) {
      this.trees = trees;
      this.unit = unit;
    }

    @Override
    public Void visitClass(ClassTree type, Void unused) {
      boolean isTopLevel = getCurrentPath().getParentPath().getLeaf() == unit;
      if (isTopLevel
          && type.getModifiers().getFlags().contains(Modifier.PUBLIC)
          && trees.getDocComment(getCurrentPath()) == null) {
        undocumentedPublicTypes.add(path + ": " + type.getSimpleName());
      }
      return super.visitClass(type, unused);
    }

    @Override
    public Void visitMethod(MethodTree method, Void unused) {
      boolean isDeclared = trees.getSourcePositions().getStartPosition(unit, method) >= 0;
      if (method.getBody() != null && isDeclared) {
        methods.add(new Method(where(method), codeLines(method), parameterCount(method)));
      }
      return super.visitMethod(method, unused);
    }

    /** A record is what many parameters are put into, so its own constructor may have many. */
    private int parameterCount(MethodTree method) {
      boolean isOfRecord =
          getCurrentPath().getParentPath().getLeaf().getKind() == Tree.Kind.RECORD;
      return isOfRecord && method.getReturnType() == null ? 0 : method.getParameters().size();
    }

    private String where(MethodTree method) {
      return path + ": " + method.getName();
    }

    private long codeLines(MethodTree method) {
      SourcePositions positions = trees.getSourcePositions();
      LineMap map = unit.getLineMap();
      int first = (int) map.getLineNumber(positions.getStartPosition(unit, method.getBody()));
      int last = (int) map.getLineNumber(positions.getEndPosition(unit, method.getBody()));
      return lines.subList(first - 1, last).stream()
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("//"))
          .count();
    }
  }
}
