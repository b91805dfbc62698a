/** Reads histories from files in the formats of Jepsen, Porcupine and JSON lines. */
package interregnum.check.read;
