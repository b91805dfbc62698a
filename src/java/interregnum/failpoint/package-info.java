/** Named barriers in the nodes' code, armed over HTTP. */
package interregnum.failpoint;
