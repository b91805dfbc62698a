/** The parts of the id checkers whose cost grows with the history. */
package interregnum.check.ids;
