package interregnum.check.fast;

import interregnum.check.history.History;
import interregnum.check.model.Text;
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
    Numbering ids = new Numbering();
    int[] generated = new int[history.size()];
    for (int i = 0; i < history.size(); i++) {
      if (history.crashed(i)) {
        continue;
      }
      Object id = history.call(i).value();
      int known = ids.size();
      int number = ids.of(id);
      if (number < known) {
        return Optional.of(
            Conflict.of(Text.of(id) + " was generated twice", generated[number], i));
      }
      generated[number] = i;
    }
    return Optional.empty();
  }

  @Override
  public String name() {
    return "duplicates";
  }
}
