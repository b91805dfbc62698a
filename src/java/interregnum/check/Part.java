package interregnum.check;

import interregnum.check.history.History;
import interregnum.check.model.Keyed;
import interregnum.check.model.Model;
import interregnum.check.model.Text;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Operations that can be checked without looking at any others.
 *
 * @param keys what they are about; empty if the history has one part only
 * @param model their model
 * @param history their history, with positions and indices of the whole
 */
public record Part(Set<Object> keys, Model model, History history) {

  /** The keys for people, or {@code ""}. */
  public String label() {
    return keys.isEmpty()
        ? ""
        : keys.size() == 1 ? Text.of(keys.iterator().next()) : Text.of(keys);
  }

  /** Splits a history into parts that share no key, in the order in which they begin. */
  static List<Part> split(Model model, History history) {
    List<Set<Object>> keysOf = new ArrayList<>(history.size());
    for (int i = 0; i < history.size(); i++) {
      Optional<Set<Object>> keys = model.parts(history.call(i));
      if (keys.isEmpty()) {
        return List.of(new Part(Set.of(), model, history));
      }
      keysOf.add(keys.get());
    }
    Map<Object, Object> parents = new LinkedHashMap<>();
    for (Set<Object> keys : keysOf) {
      Object first = keys.isEmpty() ? null : keys.iterator().next();
      for (Object key : keys) {
        parents.putIfAbsent(key, key);
        parents.put(root(parents, key), root(parents, first));
      }
    }
    return group(model, history, keysOf, parents);
  }

  private static Object root(Map<Object, Object> parents, Object key) {
    Object at = key;
    while (!Objects.equals(parents.get(at), at)) {
      parents.put(at, parents.get(parents.get(at)));
      at = parents.get(at);
    }
    return at;
  }

  private static List<Part> group(
      Model model, History history, List<Set<Object>> keysOf, Map<Object, Object> parents) {
    Map<Object, List<Integer>> operations = new LinkedHashMap<>();
    Map<Object, Set<Object>> keys = new LinkedHashMap<>();
    for (int i = 0; i < history.size(); i++) {
      Object root = keysOf.get(i).isEmpty() ? "" : root(parents, keysOf.get(i).iterator().next());
      operations.computeIfAbsent(root, r -> new ArrayList<>()).add(i);
      keys.computeIfAbsent(root, r -> new LinkedHashSet<>()).addAll(keysOf.get(i));
    }
    List<Part> parts = new ArrayList<>();
    operations.forEach(
        (root, ops) -> parts.add(part(model, history, keys.get(root), ops)));
    return parts;
  }

  private static Part part(
      Model model, History history, Set<Object> keys, List<Integer> operations) {
    History.Selection selection = new History.Selection(operations.size());
    boolean keyed = model instanceof Keyed;
    for (int op : operations) {
      selection.add(
          history,
          op,
          keyed ? Keyed.inner(history.call(op)) : history.call(op),
          history.complete(op));
    }
    return new Part(keys, keyed ? ((Keyed) model).each() : model, selection.history());
  }
}
