/** The HTTP status API. */
package interregnum.server.http;
