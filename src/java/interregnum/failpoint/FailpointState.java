package interregnum.failpoint;

/**
 * One failpoint as it stands.
 *
 * @param term the armed term, {@code off} if none
 * @param hits how often a task came by with labels that the term asks for, since it was armed
 * @param waiting how many tasks it holds in {@code pause} or {@code sleep} now
 */
public record FailpointState(String name, String term, long hits, int waiting) {}
