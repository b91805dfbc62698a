package interregnum.sql.exec;

import interregnum.allocator.Spacing;

/**
 * What of a session steers its row changes.
 *
 * @param zeroIsImplicit whether 0 in an automatic column asks for an id
 * @param countFound whether rows count as affected that matched but did not change
 */
record SessionSettings(Spacing spacing, boolean zeroIsImplicit, boolean countFound) {}
