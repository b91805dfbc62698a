/** Requests from node to node. */
package interregnum.transport;
