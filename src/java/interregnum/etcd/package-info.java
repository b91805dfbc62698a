/**
 * The coordination store: revisions, transactions with compares, leases, and watches.
 *
 * <p>Keys and values are text, so that {@code etcdctl} shows what a person can read.
 */
package interregnum.etcd;
