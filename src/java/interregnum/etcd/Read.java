package interregnum.etcd;

/** A value read, and the revision of the store it was read at. */
public record Read<T>(T value, long revision) {}
