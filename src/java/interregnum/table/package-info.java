/**
 * Tables as the coordinator defines them and statements use them, and how they lie in the store.
 */
package interregnum.table;
