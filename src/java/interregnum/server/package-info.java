/**
 * The node as a process: its command line, the wiring of its services, and what it serves to
 * clients and operators.
 */
package interregnum.server;
