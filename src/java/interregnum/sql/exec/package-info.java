/** Sessions, and how they run statements. */
package interregnum.sql.exec;
