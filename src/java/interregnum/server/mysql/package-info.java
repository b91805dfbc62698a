/**
 * The MySQL protocol: handshake, text and binary commands, results.
 *
 * <p>Whatever bytes a client sends, it gets an error packet or a closed connection; sizes and the
 * number of connections are bounded.
 */
package interregnum.server.mysql;
