/** Sequential specifications: what each call may do in each state. */
package interregnum.check.model;
