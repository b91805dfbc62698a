/**
 * The transactional key-value store that the services persist in: snapshot isolation, optimistic,
 * the first committer wins.
 */
package interregnum.store;
