/** Reference nodes of Interregnum, and the checkers whose cost matters. */
package interregnum;
