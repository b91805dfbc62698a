package interregnum.etcd;

/** Whether the compares held, and the store's revision after the transaction. */
public record TxnReply(boolean succeeded, long revision) {}
