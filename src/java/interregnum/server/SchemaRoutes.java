package interregnum.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import interregnum.coordinator.DdlJob;
import interregnum.coordinator.DdlReport;
import interregnum.runtime.Outcome;
import interregnum.schema.SchemaService;
import interregnum.schema.SchemaSnapshot;
import interregnum.server.http.HttpReply;
import interregnum.server.http.HttpRoute;
import interregnum.store.StoreUnavailableException;
import interregnum.table.DdlStatementJson;
import interregnum.table.TableInfo;
import interregnum.table.TableJson;
import java.util.List;
import java.util.Optional;

/** The paths of the status API about the schema: what this node knows, and what the store holds. */
final class SchemaRoutes {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int ENDED_SHOWN = 1_000;

  private final Node node;

  SchemaRoutes(Node node) {
    this.node = node;
  }

  List<HttpRoute> all() {
    return List.of(
        HttpRoute.get("/schema", request -> HttpReply.ok(schema())),
        HttpRoute.get("/schema/{}", request -> HttpReply.ok(tables(request.parts().get(0)))),
        HttpRoute.get("/schema/{}/{}", request -> table(request.parts())),
        HttpRoute.get("/ddl/jobs", request -> stored(() -> jobs(node.coordinator().jobs()))),
        HttpRoute.get(
            "/ddl/history",
            request -> stored(() -> jobs(node.coordinator().history(ENDED_SHOWN)))),
        HttpRoute.get("/ddl/mdl", request -> stored(() -> tree(report().mdlRows()))),
        HttpRoute.get("/ddl/diffs", request -> stored(this::diffs)));
  }

  private ObjectNode schema() {
    SchemaService.Status status = node.schema().status();
    ObjectNode schema = JSON.createObjectNode();
    schema.put("version", status.latest().map(SchemaSnapshot::version).orElse(0L));
    schema.put("stateHash", status.latest().map(SchemaSnapshot::stateHash).orElse(""));
    schema.put("serving", status.serving());
    ArrayNode empty = schema.putArray("emptyVersions");
    status.emptyVersions().forEach(empty::add);
    ArrayNode tables = schema.putArray("tables");
    status
        .latest()
        .ifPresent(
            latest ->
                latest.tables().values().stream()
                    .filter(t -> t.state().isPublic())
                    .forEach(
                        t ->
                            tables
                                .addObject()
                                .put("database", t.database())
                                .put("name", t.name())
                                .put("id", t.id())));
    return schema;
  }

  private ArrayNode tables(String database) {
    ArrayNode tables = JSON.createArrayNode();
    Optional<SchemaSnapshot> latest = node.schema().status().latest();
    if (latest.isPresent()) {
      for (String name : latest.get().names(database)) {
        latest.get().table(database, name).ifPresent(t -> tables.add(TableJson.toNode(t)));
      }
    }
    return tables;
  }

  private HttpReply table(List<String> names) {
    Optional<TableInfo> table =
        node.schema().status().latest().flatMap(s -> s.table(names.get(0), names.get(1)));
    return table
        .map(t -> HttpReply.ok(TableJson.toNode(t)))
        .orElseGet(
            () -> HttpReply.notFound("this node knows no table " + String.join(".", names)));
  }

  private DdlReport report() {
    return new DdlReport(node.context());
  }

  private ObjectNode diffs() throws InterruptedException {
    ObjectNode diffs = JSON.createObjectNode().put("version", report().version());
    diffs.set("diffs", tree(report().diffs()));
    return diffs;
  }

  private static JsonNode tree(Object value) {
    return JSON.valueToTree(value);
  }

  private static ArrayNode jobs(List<DdlJob> jobs) {
    ArrayNode list = JSON.createArrayNode();
    for (DdlJob job : jobs) {
      ObjectNode node = list.addObject().put("id", job.id()).put("type", job.type());
      node.put("database", job.statement().database()).put("table", job.statement().name());
      node.put("tableId", job.newTableId()).put("submittedBy", job.submittedBy());
      node.set("progress", tree(job.progress()));
      node.set("statement", DdlStatementJson.toNode(job.statement()));
    }
    return list;
  }

  /** Something read from the store. */
  @FunctionalInterface
  private interface Reading {
    JsonNode read() throws InterruptedException;
  }

  private static HttpReply stored(Reading reading) throws InterruptedException {
    try {
      return HttpReply.ok(reading.read());
    } catch (StoreUnavailableException e) {
      return HttpReply.of(Outcome.failed(e.getMessage()), done -> HttpReply.text(""));
    }
  }
}
