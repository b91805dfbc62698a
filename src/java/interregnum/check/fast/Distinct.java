package interregnum.check.fast;

import interregnum.check.history.History;
import interregnum.check.model.Text;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Unique ids: no two successful operations returned the same one. */
final class Distinct implements FastCheck {

  @Override
  public boolean applies(History history) {
    for (int i = 0; i < history.size(); i++) {
      if (!history.call(i).f().equals("generate")) {
        return false;
      }
    }
    return true;
  }

  @Override
  public Optional<Conflict> conflict(History history) {
    Map<Object, Integer> seen = new HashMap<>(2 * history.size());
    for (int i = 0; i < history.size(); i++) {
      if (history.crashed(i)) {
        continue;
      }
      Object id = history.call(i).value();
      Integer before = seen.put(id, i);
      if (before != null) {
        return Optional.of(Conflict.of(Text.of(id) + " was generated twice", before, i));
      }
    }
    return Optional.empty();
  }

  @Override
  public String name() {
    return "duplicates";
  }
}
