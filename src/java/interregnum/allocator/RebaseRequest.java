package interregnum.allocator;

/**
 * {@link IdService#rebase} on the wire.
 *
 * @param requestId names the request for good: its repetitions carry the same, no other does
 */
record RebaseRequest(
    long tableId, long base, boolean force, boolean unsigned, String requestId) {

  RebaseRequest {
    if (requestId.isEmpty() || requestId.contains(" ")) {
      throw new IllegalArgumentException("requestId=" + requestId + " is empty or has a space");
    }
  }

  /** The base as an unsigned number. */
  long floor() {
    return unsigned ? base : Math.max(0, base);
  }
}
