/**
 * The coordinator: schema changes as jobs in the store, carried out step by step by the node that
 * owns the {@code ddl} role, each step seen by every node before the next.
 */
package interregnum.coordinator;
