package interregnum.check.fast;

import interregnum.check.history.History;
import interregnum.check.model.Text;
import java.util.Arrays;
import java.util.Optional;

/**
 * An unordered queue: elements do not influence each other, putting in as early and taking out as
 * late as possible is best, so each element must at all times have been put in at least as often as
 * it has been taken out.
 */
final class Bag implements FastCheck {

  @Override
  public boolean applies(History history) {
    for (int i = 0; i < history.size(); i++) {
      String f = history.call(i).f();
      if (!f.equals("enqueue") && !f.equals("dequeue")) {
        return false;
      }
    }
    return true;
  }

  @Override
  public Optional<Conflict> conflict(History history) {
    int[] byPosition = new int[history.end()];
    Arrays.fill(byPosition, -1);
    for (int i = 0; i < history.size(); i++) {
      if (history.call(i).f().equals("enqueue")) {
        byPosition[history.invoke(i)] = i;
      } else if (!history.crashed(i)) {
        byPosition[history.complete(i)] = i;
      }
    }
    Numbering elements = new Numbering();
    int[] counts = new int[history.size()];
    for (int op : byPosition) {
      if (op < 0) {
        continue;
      }
      Object element = history.call(op).value();
      int number = elements.of(element);
      if (history.call(op).f().equals("enqueue")) {
        counts[number]++;
      } else if (--counts[number] < 0) {
        return Optional.of(
            Conflict.of(
                Text.of(element) + " was taken out more often than it was put in until then", op));
      }
    }
    return Optional.empty();
  }

  @Override
  public String name() {
    return "balance of elements";
  }
}
