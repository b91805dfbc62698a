package interregnum.sql.exec;

import interregnum.table.Row;

/** A row and its encoded key. */
record StoredRow(String key, Row row) {}
