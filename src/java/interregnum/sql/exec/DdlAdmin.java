package interregnum.sql.exec;

import interregnum.sql.Statement.Admin;

/** Answers the ADMIN statements about schema changes. Safe for use by any task. */
public interface DdlAdmin {

  /** Runs the statement; a table in it has its database filled in. */
  Result run(Admin statement) throws InterruptedException;
}
