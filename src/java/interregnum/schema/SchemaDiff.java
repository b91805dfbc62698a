package interregnum.schema;

import java.util.List;

/**
 * What one schema version changed.
 *
 * @param type the kind of job, for people; {@code seal} for a version that was given up
 * @param jobId the job, 0 for none
 * @param keys where the changed definitions stand; those that are gone now included
 * @param term the reign that wrote it, for diagnosis
 */
public record SchemaDiff(long version, String type, long jobId, List<String> keys, long term) {

  public SchemaDiff {
    keys = List.copyOf(keys);
  }
}
