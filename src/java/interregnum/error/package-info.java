/** What a node answers instead of a result, by MySQL's numbers. */
package interregnum.error;
