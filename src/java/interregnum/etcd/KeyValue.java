package interregnum.etcd;

/** A key as it stands: value, revisions of its creation and last change, and lease (0 for none). */
public record KeyValue(
    String key, String value, long createRevision, long modRevision, long leaseId) {}
