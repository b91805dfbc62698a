package interregnum.owner;

/** An office that one node at a time holds. */
public enum OwnerRole {
  /** The coordinator's. Every write of an owner carries its term, so reigns may overlap. */
  DDL("ddl", "/interregnum/ddl/owner/", false),

  /** The allocator's. An owner answers from memory, so a successor waits for the hand-over. */
  AUTOID("autoid", "/interregnum/autoid/leader/", true);

  private final String id;
  private final String prefix;
  private final boolean answersFromMemory;

  OwnerRole(String id, String prefix, boolean answersFromMemory) {
    this.id = id;
    this.prefix = prefix;
    this.answersFromMemory = answersFromMemory;
  }

  /** The name in terms, logs and labels. */
  public String id() {
    return id;
  }

  /** The prefix of the candidates' keys. */
  public String prefix() {
    return prefix;
  }

  /** Whether an owner acts without a fenced write, so that its successor must wait for it. */
  boolean answersFromMemory() {
    return answersFromMemory;
  }

  /** The key that the owner holds from before its reign until after it; see {@link Candidacy}. */
  String handOverKey() {
    return prefix.substring(0, prefix.length() - 1) + "-reign";
  }
}
