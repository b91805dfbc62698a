/**
 * What every node knows of the tables: the loader of schema versions, the metadata lock, and the
 * session that a node must hold to use what it knows.
 */
package interregnum.schema;
