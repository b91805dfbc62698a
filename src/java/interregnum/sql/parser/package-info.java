/**
 * From a statement's text to a {@code Statement} value.
 *
 * <p>The text is first cut into tokens. Queries and changes of rows (SELECT, INSERT, REPLACE,
 * UPDATE, DELETE) go to JSqlParser, as templates: every literal is replaced by a parameter, so that
 * statements which differ only in values are parsed once and found in a cache afterwards.
 *
 * <p>The rest is read from the tokens by small parsers of this package, because JSqlParser 5.3 does
 * not take it ({@code BEGIN}, {@code START TRANSACTION}, {@code ADMIN ...}, {@code SET NAMES ...
 * COLLATE}, {@code SET TRANSACTION}, {@code DROP TABLE a, b}, unnamed keys, {@code ALTER TABLE ...
 * RENAME u}, {@code AUTO_ID_CACHE} after another option) or hands it back as a list of words
 * ({@code SHOW ...}, column options, {@code ALTER TABLE ... AUTO_INCREMENT}).
 */
package interregnum.sql.parser;
