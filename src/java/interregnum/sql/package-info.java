/**
 * SQL: tables and their layout in the store, statements, and the sessions that run them.
 *
 * <p>A statement's text becomes a {@code Statement} value (parser), which a {@code Session}
 * executes in a transaction of the store against the tables that a {@code Catalog} shows it.
 */
package interregnum.sql;
