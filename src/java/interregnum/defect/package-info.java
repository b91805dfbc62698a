/**
 * The catalogue of planted defects. A defect is a change of the services' modes; services read
 * modes and know nothing of defects.
 */
package interregnum.defect;
