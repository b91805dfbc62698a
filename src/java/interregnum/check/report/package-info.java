/** Results of checks as text, as EDN and as pictures. */
package interregnum.check.report;
