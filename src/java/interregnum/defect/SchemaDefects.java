package interregnum.defect;

import interregnum.coordinator.CoordinatorModes;
import interregnum.coordinator.CoordinatorModes.Ack;
import interregnum.coordinator.CoordinatorModes.AfterAbort;
import interregnum.coordinator.CoordinatorModes.Fencing;
import interregnum.coordinator.CoordinatorModes.JobCheck;
import interregnum.coordinator.CoordinatorModes.MdlRows;
import interregnum.coordinator.CoordinatorModes.Retire;
import interregnum.coordinator.CoordinatorModes.Takeover;
import interregnum.coordinator.CoordinatorModes.Version;
import interregnum.owner.OwnerModes;
import interregnum.schema.SchemaModes;
import interregnum.schema.SchemaModes.Holes;
import interregnum.schema.SchemaModes.MetadataLock;
import interregnum.schema.SchemaModes.Removals;
import interregnum.schema.SchemaModes.Report;
import java.util.List;

/** The planted defects of schema changes and of the election of their owner. */
final class SchemaDefects {

  static final List<Defect> ALL =
      List.of(
          new Defect(
              "tidb-58486",
              "pingcap/tidb#58486",
              "schema version and diff in one transaction, and its fence: a deposed owner commits"
                  + " a version that every node has taken for a hole",
              "coordinator.SchemaVersions",
              List.of("S-1", "S-14", "S-4", "S-11"),
              m ->
                  m.coordinator(SchemaDefects::separateVersion)
                      .schema(s -> s.with(Holes.SKIPPED))
                      .ddlOwner(SchemaDefects::flagDecides)),
          new Defect(
              "tidb-58483",
              "pingcap/tidb#58483",
              "looking for jobs to report after every reload: a version that commits after a"
                  + " higher one is never reported",
              "schema.JobReporter",
              List.of("S-12"),
              m ->
                  m.coordinator(SchemaDefects::separateVersion)
                      .schema(s -> s.with(Report.IF_NEWER))
                      .ddlOwner(SchemaDefects::flagDecides)),
          new Defect(
              "tidb-54689",
              "pingcap/tidb#54689",
              "watching the own key from the winning revision: an owner whose key is deleted"
                  + " before the watch begins stays owner for ever",
              "owner.Ownership",
              List.of("S-8", "S-16", "ID-4"),
              m ->
                  m.ddlOwner(
                          o ->
                              o.with(OwnerModes.Watch.FROM_NOW)
                                  .with(OwnerModes.Become.FLAG_FIRST))
                      .autoidOwner(
                          o ->
                              o.with(OwnerModes.Watch.FROM_NOW).with(OwnerModes.HandOver.NONE))
                      .coordinator(c -> c.with(Fencing.LOCAL_FLAG))),
          new Defect(
              "tidb-50055",
              "pingcap/tidb#50055",
              "every check of ownership and of the job before a step's commit: two owners do the"
                  + " same job, and one of them fails it",
              "coordinator.StepCommitter",
              List.of("S-15", "S-5", "S-8"),
              m ->
                  m.coordinator(
                          c ->
                              c.with(Version.BEFOREHAND)
                                  .with(Fencing.NONE)
                                  .with(JobCheck.NONE))
                      .ddlOwner(o -> o.with(OwnerModes.Resign.DELETE_FIRST))),
          new Defect(
              "tidb-51846",
              "pingcap/tidb#51846",
              "ending the work of a past reign: after regaining the role a node has two workers on"
                  + " one job",
              "coordinator.Coordinator",
              List.of("S-5", "S-15"),
              m ->
                  m.coordinator(
                          c ->
                              c.with(Retire.ABANDONS)
                                  .with(Fencing.LOCAL_FLAG)
                                  .with(JobCheck.NONE))
                      .ddlOwner(o -> o.with(OwnerModes.Become.FLAG_FIRST))),
          new Defect(
              "tidb-52747",
              "pingcap/tidb#52747",
              "comparing the job with what was picked up: an acknowledged cancellation is"
                  + " overwritten by the next step",
              "coordinator.StepCommitter",
              List.of("S-7", "S-5"),
              m -> m.coordinator(c -> c.with(JobCheck.NONE))),
          new Defect(
              "tidb-20213",
              "pingcap/tidb#20213",
              "reading a job again after an aborted step: its state runs ahead of the table's, and"
                  + " a state is skipped",
              "coordinator.JobWorker",
              List.of("S-2", "S-5", "S-9b"),
              m -> m.coordinator(c -> c.with(AfterAbort.KEEPS_STATE))),
          new Defect(
              "tidb-37209",
              "pingcap/tidb#37209",
              "waiting, on taking a job over, until the nodes have seen its last step: nodes are"
                  + " two states apart",
              "coordinator.JobWorker",
              List.of("S-2", "S-9", "S-9b"),
              m -> m.coordinator(c -> c.with(Takeover.GOES_ON))),
          new Defect(
              "tidb-53073",
              "pingcap/tidb#53073",
              "the owner's name on metadata lock rows: a deposed owner deletes its successor's",
              "coordinator.JobWorker",
              List.of("S-12", "S-9"),
              m -> m.coordinator(c -> c.with(MdlRows.ANY))),
          new Defect(
              "tidb-8441",
              "pingcap/tidb#8441",
              "the session of a node: without one it goes on with what it knew, though the owner"
                  + " no longer waits for it",
              "schema.SchemaView",
              List.of("S-10", "S-1", "S-9"),
              m -> m.schema(s -> s.with(SchemaModes.Fencing.NONE))),
          new Defect(
              "tidb-10410",
              "pingcap/tidb#10410",
              "waiting for the nodes before the client is told: it meets one that does not know"
                  + " its table yet",
              "coordinator.JobWorker",
              List.of("S-1"),
              m -> m.coordinator(c -> c.with(Ack.BEFORE_SYNC))),
          new Defect(
              "tidb-71106",
              "pingcap/tidb#71106",
              "the metadata lock: a transaction looks at the schema, then commits after it has"
                  + " changed twice",
              "schema.SchemaView",
              List.of("S-9b", "S-9"),
              m -> m.schema(s -> s.with(MetadataLock.OFF))),
          new Defect(
              "cockroach-5483",
              "cockroachdb/cockroach#5483",
              "taking removed tables out of what a node knows: a dropped table is still served",
              "schema.TableChanges",
              List.of("S-1", "S-11"),
              m -> m.schema(s -> s.with(Removals.KEPT))));

  private SchemaDefects() {}

  /**
   * As in public: the flag is set before the work begins that looks at it, and cleared when the
   * watch tells that the key is gone.
   */
  private static OwnerModes flagDecides(OwnerModes modes) {
    return modes.with(OwnerModes.Become.FLAG_FIRST).with(OwnerModes.Resign.DELETE_FIRST);
  }

  /** As in public: the version in a transaction of its own, and a look at the flag as a fence. */
  private static CoordinatorModes separateVersion(CoordinatorModes modes) {
    return modes.with(Version.BEFOREHAND).with(Fencing.LOCAL_FLAG);
  }
}
