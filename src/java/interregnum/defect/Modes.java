package interregnum.defect;

import interregnum.allocator.AllocatorModes;
import interregnum.coordinator.CoordinatorModes;
import interregnum.owner.OwnerModes;
import interregnum.schema.SchemaModes;
import interregnum.sql.exec.SqlModes;
import java.util.function.UnaryOperator;

/**
 * The modes of every service of a node.
 *
 * @param autoidOwner of the election of the allocator's leader
 * @param ddlOwner of the election of the coordinator's owner
 */
public record Modes(
    AllocatorModes allocator,
    OwnerModes autoidOwner,
    OwnerModes ddlOwner,
    SchemaModes schema,
    CoordinatorModes coordinator,
    SqlModes sql) {

  /** Every safeguard on. */
  public static final Modes CORRECT =
      new Modes(
          AllocatorModes.CORRECT,
          OwnerModes.CORRECT,
          OwnerModes.CORRECT,
          SchemaModes.CORRECT,
          CoordinatorModes.CORRECT,
          SqlModes.CORRECT);

  /** These modes with the allocator's changed. */
  public Modes allocator(UnaryOperator<AllocatorModes> change) {
    return new Modes(change.apply(allocator), autoidOwner, ddlOwner, schema, coordinator, sql);
  }

  /** These modes with those of the allocator's election changed. */
  public Modes autoidOwner(UnaryOperator<OwnerModes> change) {
    return new Modes(allocator, change.apply(autoidOwner), ddlOwner, schema, coordinator, sql);
  }

  /** These modes with those of the coordinator's election changed. */
  public Modes ddlOwner(UnaryOperator<OwnerModes> change) {
    return new Modes(allocator, autoidOwner, change.apply(ddlOwner), schema, coordinator, sql);
  }

  /** These modes with those of what each node knows of the schema changed. */
  public Modes schema(UnaryOperator<SchemaModes> change) {
    return new Modes(allocator, autoidOwner, ddlOwner, change.apply(schema), coordinator, sql);
  }

  /** These modes with the coordinator's changed. */
  public Modes coordinator(UnaryOperator<CoordinatorModes> change) {
    return new Modes(allocator, autoidOwner, ddlOwner, schema, change.apply(coordinator), sql);
  }

  /** These modes with those of clients' transactions changed. */
  public Modes sql(UnaryOperator<SqlModes> change) {
    return new Modes(
        allocator, autoidOwner, ddlOwner, schema, coordinator, change.apply(sql));
  }
}
