package interregnum.store;

/**
 * A fencing token: an owner's election key and that key's create revision, compared inside the
 * transaction that the owner commits.
 */
public record Fence(String electionKey, long createRevision) {}
