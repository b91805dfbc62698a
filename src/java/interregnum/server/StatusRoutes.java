package interregnum.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import interregnum.failpoint.FailpointState;
import interregnum.owner.Leader;
import interregnum.owner.OwnerRole;
import interregnum.owner.Ownership;
import interregnum.runtime.Outcome;
import interregnum.server.http.HttpReply;
import interregnum.server.http.HttpRoute;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The paths of a node's status API. */
final class StatusRoutes {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LOOK_UP_LIMIT = Duration.ofMillis(900);

  private final Node node;

  StatusRoutes(Node node) {
    this.node = node;
  }

  List<HttpRoute> all() {
    List<HttpRoute> routes = new ArrayList<>(own());
    routes.addAll(new SchemaRoutes(node).all());
    return routes;
  }

  private List<HttpRoute> own() {
    return List.of(
        HttpRoute.get("/status", request -> HttpReply.ok(status())),
        HttpRoute.get("/info", request -> HttpReply.ok(info())),
        HttpRoute.get("/info/all", request -> infoAll()),
        HttpRoute.get("/autoid/leader", request -> leader(OwnerRole.AUTOID)),
        HttpRoute.action("/autoid/leader/resign", request -> resign(node.autoidOwnership())),
        HttpRoute.get("/autoid/table/{}", this::range),
        HttpRoute.get("/ddl/owner", request -> leader(OwnerRole.DDL)),
        HttpRoute.action("/ddl/owner/resign", request -> resign(node.coordinator().ownership())),
        HttpRoute.get("/failpoint", request -> failpoints()),
        HttpRoute.get("/failpoint/{}", request -> failpoint(request.parts().get(0))),
        new HttpRoute(List.of("PUT", "POST"), "/failpoint/{}", this::arm),
        new HttpRoute(List.of("DELETE"), "/failpoint/{}", this::disarm));
  }

  private ObjectNode status() {
    return JSON.createObjectNode()
        .put("version", NodeVersion.VERSION)
        .put("connections", node.connections())
        .put("uptimeMs", node.uptime().toMillis());
  }

  private ObjectNode info() {
    ObjectNode info = JSON.createObjectNode();
    info.put("id", node.options().id()).put("advertise", node.options().advertise());
    info.put("ddlOwner", node.coordinator().ownership().term().isPresent());
    info.put("autoidLeader", node.autoidOwnership().term().isPresent());
    ObjectNode terms = info.putObject("terms");
    node.coordinator().ownership().term().ifPresent(term -> terms.put("ddl", term.number()));
    node.autoidOwnership().term().ifPresent(term -> terms.put("autoid", term.number()));
    ArrayNode defects = info.putArray("defects");
    node.options().defects().forEach(defects::add);
    return info.put("version", NodeVersion.VERSION);
  }

  private HttpReply infoAll() throws InterruptedException {
    Outcome<List<String>> servers = node.schema().liveNodes(LOOK_UP_LIMIT);
    Outcome<Optional<Leader>> ddl = node.directory().leader(OwnerRole.DDL, LOOK_UP_LIMIT);
    Outcome<Optional<Leader>> autoid = node.directory().leader(OwnerRole.AUTOID, LOOK_UP_LIMIT);
    return HttpReply.of(
        servers,
        entries ->
            HttpReply.of(ddl, d -> HttpReply.of(autoid, a -> HttpReply.ok(all(entries, d, a)))));
  }

  private static ObjectNode all(
      List<String> entries, Optional<Leader> ddl, Optional<Leader> autoid) {
    ObjectNode all = JSON.createObjectNode();
    ArrayNode servers = all.putArray("servers");
    for (String entry : entries) {
      try {
        servers.add(JSON.readTree(entry));
      } catch (JsonProcessingException e) {
        servers.add(entry);
      }
    }
    ddl.ifPresent(leader -> all.set("ddl", leader(leader)));
    autoid.ifPresent(leader -> all.set("autoid", leader(leader)));
    return all;
  }

  private HttpReply leader(OwnerRole role) throws InterruptedException {
    return HttpReply.of(
        node.directory().leader(role, LOOK_UP_LIMIT),
        found ->
            found
                .map(leader -> HttpReply.ok(leader(leader)))
                .orElseGet(() -> HttpReply.notFound("nobody holds the election")));
  }

  private static ObjectNode leader(Leader leader) {
    return JSON.createObjectNode()
        .put("id", leader.id())
        .put("address", leader.address())
        .put("term", leader.term());
  }

  private static HttpReply resign(Ownership ownership) throws InterruptedException {
    return HttpReply.of(
        ownership.resign(), done -> HttpReply.text(done ? "success!" : "not owner"));
  }

  private HttpReply range(HttpRoute.Request request) {
    long tableId;
    try {
      tableId = Long.parseLong(request.parts().get(0));
    } catch (NumberFormatException e) {
      return HttpReply.badRequest("not a table id: " + request.parts().get(0));
    }
    return node.leaderService()
        .range(tableId)
        .map(
            range ->
                HttpReply.ok(
                    JSON.createObjectNode()
                        .put("base", unsigned(range.base()))
                        .put("end", unsigned(range.end()))
                        .put("term", range.term())))
        .orElseGet(() -> HttpReply.notFound("this node holds no range of table " + tableId));
  }

  private static BigInteger unsigned(long bits) {
    return new BigInteger(Long.toUnsignedString(bits));
  }

  private HttpReply failpoints() {
    ArrayNode list = JSON.createArrayNode();
    node.failpoints().armed().forEach(state -> list.add(state(state)));
    return HttpReply.ok(list);
  }

  private HttpReply failpoint(String name) {
    return HttpReply.ok(state(node.failpoints().state(name)));
  }

  private HttpReply arm(HttpRoute.Request request) {
    String name = request.parts().get(0);
    try {
      node.failpoints().arm(name, request.body());
    } catch (IllegalArgumentException e) {
      return HttpReply.badRequest(e.getMessage());
    }
    return failpoint(name);
  }

  private HttpReply disarm(HttpRoute.Request request) {
    node.failpoints().disarm(request.parts().get(0));
    return failpoint(request.parts().get(0));
  }

  private static ObjectNode state(FailpointState state) {
    ObjectNode node =
        JSON.createObjectNode()
            .put("name", state.name())
            .put("term", state.term())
            .put("hits", state.hits())
            .put("waiting", state.waiting());
    ArrayNode held = node.putArray("held");
    state.held().forEach(held::add);
    return node;
  }
}
