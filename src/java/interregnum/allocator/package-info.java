/**
 * The id service: ascending ids per table, from ranges that the elected leader reserves in the
 * store and hands out from memory.
 *
 * <p>Ids are 64-bit patterns compared as unsigned numbers throughout. A signed column differs only
 * in its largest id, so both kinds share one code path.
 */
package interregnum.allocator;
