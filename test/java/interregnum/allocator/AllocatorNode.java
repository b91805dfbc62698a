package interregnum.allocator;

import interregnum.defect.Modes;
import interregnum.etcd.JetcdEtcd;
import interregnum.failpoint.Failpoints;
import interregnum.owner.Leader;
import interregnum.owner.OwnerConfig;
import interregnum.owner.OwnerDirectory;
import interregnum.owner.OwnerRole;
import interregnum.owner.Ownership;
import interregnum.runtime.SystemRuntime;
import interregnum.store.EtcdStore;
import interregnum.transport.GrpcServer;
import interregnum.transport.GrpcTransport;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Both sides of the allocator as a node has them: on a real etcd, and over real connections. */
final class AllocatorNode {

  private static final String HOST = "127.0.0.1";
  private static final Duration LOOKUP_LIMIT = Duration.ofSeconds(1);

  final String id;
  final Failpoints failpoints;
  final LeaderService service;
  final LeaderClient client;
  final Ownership ownership;
  final EtcdStore store;
  private final JetcdEtcd etcd;
  private final GrpcTransport transport = new GrpcTransport();
  private final GrpcServer server;

  AllocatorNode(SystemRuntime runtime, String etcdUrl, String id, Modes modes, Duration ttl)
      throws IOException {
    this.id = id;
    this.failpoints = new Failpoints(runtime, () -> {});
    this.etcd = new JetcdEtcd(List.of(etcdUrl));
    this.store = new EtcdStore(runtime, etcd, id);
    this.service =
        new LeaderService(
            runtime,
            store,
            failpoints,
            () -> ownership().term(),
            new LeaderOptions(id, LeaderOptions.STEP_DEFAULT, modes.allocator()));
    this.server = new GrpcServer(HOST, 0, service.handlers());
    OwnerConfig config =
        new OwnerConfig(
            OwnerRole.AUTOID, id, HOST + ":" + server.port(), ttl, modes.autoidOwner());
    this.ownership = new Ownership(runtime, etcd, failpoints, config, service);
    OwnerDirectory directory = new OwnerDirectory(etcd);
    this.client =
        new LeaderClient(
            runtime,
            transport,
            () ->
                directory
                    .leader(OwnerRole.AUTOID, LOOKUP_LIMIT)
                    .map(leader -> leader.map(Leader::address)),
            id,
            ClientOptions.DEFAULT);
    ownership.start();
  }

  private Ownership ownership() {
    return ownership;
  }

  /** Takes one id through whoever leads. */
  long next(long tableId) throws InterruptedException {
    AllocResult result = client.alloc(tableId, 1, Spacing.DENSE, false);
    if (result instanceof AllocResult.Allocated allocated) {
      return allocated.max();
    }
    throw new AssertionError("no id at " + id + ": " + result);
  }

  void close() throws InterruptedException {
    failpoints.armed().forEach(point -> failpoints.disarm(point.name()));
    service.stop();
    ownership.close();
    server.close();
    transport.close();
    etcd.close();
  }
}
