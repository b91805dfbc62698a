/**
 * Searches for an order of a history's operations that a model accepts: a frontier of
 * configurations that moves forward over the events, and a depth-first search with memory.
 */
package interregnum.check.search;
