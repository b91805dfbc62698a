package interregnum.failpoint;

import java.util.List;

/**
 * One failpoint as it stands.
 *
 * @param term the armed term, {@code off} if none
 * @param hits how often a task came by with labels that the term asks for, since it was armed
 * @param held the tasks that it holds in {@code pause} or {@code sleep} now, each as its labels
 *     with commas between
 */
public record FailpointState(String name, String term, long hits, List<String> held) {

  /** How many tasks it holds now. */
  public int waiting() {
    return held.size();
  }
}
