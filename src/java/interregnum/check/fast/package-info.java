/** Algorithms in near-linear time for single data types. */
package interregnum.check.fast;
