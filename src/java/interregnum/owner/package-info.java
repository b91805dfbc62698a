/** Sessions, elections and terms: what every elected role shares. */
package interregnum.owner;
