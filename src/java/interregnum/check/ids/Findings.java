package interregnum.check.ids;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Findings of one sweep: how many there were, the first few, and the worst one. Bounded however
 * broken the history is. For one thread.
 */
public final class Findings {
  private final int keep;
  private final List<Finding> first = new ArrayList<>();
  private Finding worst;
  private long count;

  /** Keeps the first {@code keep} findings. */
  public Findings(int keep) {
    if (keep < 1) {
      throw new IllegalArgumentException("keep=" + keep);
    }
    this.keep = keep;
  }

  void add(Finding finding) {
    Objects.requireNonNull(finding, "finding");
    count++;
    if (first.size() < keep) {
      first.add(finding);
    }
    if (worst == null || finding.depth() > worst.depth()) {
      worst = finding;
    }
  }

  /** How many calls broke the promise. */
  public long count() {
    return count;
  }

  /** The first findings, in the order in which the later calls completed. */
  public List<Finding> first() {
    return List.copyOf(first);
  }

  /** The deepest findings: one, or none if there are no findings. */
  public List<Finding> worst() {
    return worst == null ? List.of() : List.of(worst);
  }
}
