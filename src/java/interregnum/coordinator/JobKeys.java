package interregnum.coordinator;

import interregnum.schema.SchemaKeys;

/**
 * Where jobs stand.
 *
 * <pre>
 *   in the store
 *   /interregnum/ddl/job/JOB         a job under way
 *   /interregnum/ddl/history/JOB     a job that has ended
 *   /interregnum/ddl/reorg/JOB       how far a backfill has come: the next row's key
 *   in etcd
 *   /interregnum/ddl/notify          written when there is a job to look at
 *   /interregnum/ddl/finished/JOB    how a job ended; the last few
 * </pre>
 */
final class JobKeys {
  static final String JOBS = "/interregnum/ddl/job/";
  static final String HISTORY = "/interregnum/ddl/history/";
  static final String REORG = "/interregnum/ddl/reorg/";
  static final String NOTIFY = "/interregnum/ddl/notify";
  static final String FINISHED = "/interregnum/ddl/finished/";

  private JobKeys() {}

  static String job(long id) {
    return JOBS + SchemaKeys.padded(id);
  }

  static String history(long id) {
    return HISTORY + SchemaKeys.padded(id);
  }

  static String reorg(long id) {
    return REORG + SchemaKeys.padded(id);
  }

  static String finished(long id) {
    return FINISHED + SchemaKeys.padded(id);
  }
}
