/** The command that checks histories in files. */
package interregnum.check.command;
