package interregnum.allocator;

/** {@link IdService#alloc} on the wire. */
record AllocRequest(long tableId, int n, Spacing spacing, boolean unsigned) {

  AllocRequest {
    if (n < 0) {
      throw new IllegalArgumentException("n=" + n + " is negative");
    }
  }

  Draw.Demand demand() {
    return new Draw.Demand(n, spacing, Draw.limit(unsigned));
  }
}
