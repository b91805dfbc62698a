/** Histories of operations with their invocations and completions. */
package interregnum.check.history;
