package interregnum.owner;

/**
 * Told when reigns begin and end. Called by the ownership's own task, so calls never overlap, and a
 * throwable ends the process.
 */
public interface OwnerListener {

  /** Prepares for a reign; nobody sees the node as owner until this has returned. */
  void onBecomeOwner(Term term) throws InterruptedException;

  /** Ends the work of a reign; the node is no longer seen as owner. May wait for that work. */
  void onRetireOwner(Term term) throws InterruptedException;

  /** A listener that does nothing. */
  static OwnerListener none() {
    return new OwnerListener() {
      @Override
      public void onBecomeOwner(Term term) {}

      @Override
      public void onRetireOwner(Term term) {}
    };
  }
}
