package interregnum.check.fast;

import interregnum.check.history.History;
import interregnum.check.model.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A FIFO queue into which every element is put at most once. Such a history is linearizable unless
 * an element comes out that was not put in before, or comes out twice, or two elements come out
 * against the order in which they were put in; the last needs only be seen for two at a time
 * (Henzinger, Sezgin and Vafeiadis, Aspect-oriented linearizability proofs, 2013).
 */
final class UniqueQueue implements FastCheck {

  @Override
  public boolean applies(History history) {
    Numbering elements = new Numbering();
    int puts = 0;
    for (int i = 0; i < history.size(); i++) {
      String f = history.call(i).f();
      boolean put = f.equals("enqueue");
      if (!put && !f.equals("dequeue")) {
        return false;
      }
      if (put && elements.of(history.call(i).value()) < puts++) {
        return false;
      }
    }
    return true;
  }

  /** The life of one element: numbers of operations, or -1. */
  private static final class Life {
    final Object element;
    int put = -1;
    int take = -1;
    int maybeTake = -1;

    Life(Object element) {
      this.element = element;
    }
  }

  @Override
  public Optional<Conflict> conflict(History history) {
    Numbering elements = new Numbering();
    List<Life> lives = new ArrayList<>();
    for (int i = 0; i < history.size(); i++) {
      Object element = history.call(i).value();
      int number = elements.of(element);
      if (number == lives.size()) {
        lives.add(new Life(element));
      }
      Life life = lives.get(number);
      if (history.call(i).f().equals("enqueue")) {
        life.put = i;
      } else if (history.crashed(i)) {
        life.maybeTake = life.maybeTake < 0 ? i : life.maybeTake;
      } else if (life.take >= 0) {
        return Optional.of(
            Conflict.of(Text.of(life.element) + " came out twice", life.take, i));
      } else {
        life.take = i;
      }
    }
    Life[] all = lives.toArray(Life[]::new);
    for (Life life : all) {
      Optional<Conflict> alone = alone(history, life);
      if (alone.isPresent()) {
        return alone;
      }
    }
    return disorder(history, all);
  }

  private static Optional<Conflict> alone(History history, Life life) {
    if (life.take < 0) {
      return Optional.empty();
    }
    if (life.put < 0) {
      return Optional.of(
          Conflict.of(Text.of(life.element) + " came out but was never put in", life.take));
    }
    return history.complete(life.take) < history.invoke(life.put)
        ? Optional.of(
            Conflict.of(
                Text.of(life.element) + " came out before it was put in", life.put, life.take))
        : Optional.empty();
  }

  /** Looks for x put in before y where y comes out before x does, if x does. */
  private static Optional<Conflict> disorder(History history, Life[] lives) {
    Life[] mattering =
        Arrays.stream(lives)
            .filter(x -> x.put >= 0 && (x.take >= 0 || !history.crashed(x.put)))
            .toArray(Life[]::new);
    Life[] byEnd = mattering.clone();
    Arrays.sort(mattering, (a, b) -> Integer.compare(history.invoke(a.put), history.invoke(b.put)));
    Arrays.sort(byEnd, (a, b) -> Integer.compare(history.complete(a.put), history.complete(b.put)));
    int next = 0;
    Life last = null;
    for (Life y : mattering) {
      while (next < byEnd.length
          && history.complete(byEnd[next].put) < history.invoke(y.put)) {
        Life x = byEnd[next++];
        last = last == null || takenAt(history, x) > takenAt(history, last) ? x : last;
      }
      if (last != null && y.take >= 0 && history.complete(y.take) < takenAt(history, last)) {
        return Optional.of(conflict(last, y));
      }
    }
    return Optional.empty();
  }

  private static Conflict conflict(Life x, Life y) {
    String reason =
        Text.of(y.element) + " came out before " + Text.of(x.element) + ", which was put in first";
    return x.take < 0
        ? Conflict.of(reason, x.put, y.put, y.take)
        : Conflict.of(reason, x.put, x.take, y.put, y.take);
  }

  private static int takenAt(History history, Life life) {
    int take = life.take >= 0 ? life.take : life.maybeTake;
    return take < 0 ? History.NEVER : history.invoke(take);
  }

  @Override
  public String name() {
    return "order of elements";
  }
}
