package interregnum.sql;

import interregnum.coordinator.Coordinator;
import interregnum.error.SqlError;
import interregnum.failpoint.FailpointException;
import interregnum.schema.SchemaService;
import interregnum.schema.SchemaView;
import interregnum.store.CommitResult;
import interregnum.store.StoreTxn;
import interregnum.table.DdlStatement;
import interregnum.table.TableInfo;
import java.util.List;
import java.util.Optional;

/** The catalogue of a node in a cluster: what the node knows of the schema, and the coordinator. */
public final class ClusterCatalog implements Catalog {
  private final SchemaService schema;
  private final Coordinator coordinator;

  public ClusterCatalog(SchemaService schema, Coordinator coordinator) {
    this.schema = schema;
    this.coordinator = coordinator;
  }

  @Override
  public CatalogView view(StoreTxn txn) {
    return new View(schema.view(txn));
  }

  @Override
  public void execute(DdlStatement statement) throws InterruptedException {
    coordinator.execute(statement);
  }

  private record View(SchemaView schema) implements CatalogView {

    @Override
    public Optional<TableInfo> table(String database, String name) throws InterruptedException {
      return schema.table(database, name);
    }

    @Override
    public List<String> tables(String database) throws InterruptedException {
      return schema.names(database);
    }

    @Override
    public void beforeCommit() throws InterruptedException {
      try {
        schema.beforeCommit();
      } catch (FailpointException e) {
        throw SqlError.STORE_UNREACHABLE.with("Nothing was written: %s", e.getMessage());
      }
    }

    @Override
    public CommitResult afterCommit(CommitResult result) throws InterruptedException {
      return schema.afterCommit(result);
    }

    @Override
    public void close() {
      schema.close();
    }
  }
}
