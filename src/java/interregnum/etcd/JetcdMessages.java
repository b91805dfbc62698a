package interregnum.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.ResponseOp;
import io.etcd.jetcd.api.TxnResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Translates between this package's records and etcd's wire messages. Keys are UTF-8. */
final class JetcdMessages {

  private JetcdMessages() {}

  static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  static RangeRequest get(String key) {
    return RangeRequest.newBuilder().setKey(bytes(key)).build();
  }

  /**
   * @param local whether the member may answer from what it has, without asking the others
   */
  static RangeRequest range(KeyRange range, boolean local) {
    return RangeRequest.newBuilder()
        .setKey(bytes(range.from()))
        .setRangeEnd(bytes(range.to()))
        .setLimit(range.limit())
        .setRevision(range.revision())
        .setSerializable(local)
        .build();
  }

  static PutRequest put(String key, String value, long leaseId) {
    return PutRequest.newBuilder()
        .setKey(bytes(key))
        .setValue(bytes(value))
        .setLease(leaseId)
        .build();
  }

  static KeyValue keyValue(io.etcd.jetcd.api.KeyValue kv) {
    return new KeyValue(
        kv.getKey().toStringUtf8(),
        kv.getValue().toStringUtf8(),
        kv.getCreateRevision(),
        kv.getModRevision(),
        kv.getLease());
  }

  static List<KeyValue> keyValues(RangeResponse response) {
    List<KeyValue> list = new ArrayList<>(response.getKvsCount());
    for (io.etcd.jetcd.api.KeyValue kv : response.getKvsList()) {
      list.add(keyValue(kv));
    }
    return list;
  }

  static Optional<KeyValue> first(RangeResponse response) {
    return response.getKvsCount() == 0
        ? Optional.empty()
        : Optional.of(keyValue(response.getKvs(0)));
  }

  static io.etcd.jetcd.api.TxnRequest txn(TxnRequest request) {
    io.etcd.jetcd.api.TxnRequest.Builder builder = io.etcd.jetcd.api.TxnRequest.newBuilder();
    for (TxnRequest.Compare compare : request.compares()) {
      builder.addCompare(compare(compare));
    }
    for (TxnRequest.Write write : request.writes()) {
      builder.addSuccess(write(write));
    }
    for (String key : request.readOnFailure()) {
      builder.addFailure(RequestOp.newBuilder().setRequestRange(get(key)));
    }
    return builder.build();
  }

  private static io.etcd.jetcd.api.Compare compare(TxnRequest.Compare compare) {
    io.etcd.jetcd.api.Compare.Builder builder =
        io.etcd.jetcd.api.Compare.newBuilder().setKey(bytes(compare.key()));
    if (compare instanceof TxnRequest.Compare.CreateRevisionIs c) {
      builder
          .setTarget(io.etcd.jetcd.api.Compare.CompareTarget.CREATE)
          .setResult(io.etcd.jetcd.api.Compare.CompareResult.EQUAL)
          .setCreateRevision(c.revision());
    } else if (compare instanceof TxnRequest.Compare.ModRevisionIs c) {
      builder
          .setTarget(io.etcd.jetcd.api.Compare.CompareTarget.MOD)
          .setResult(io.etcd.jetcd.api.Compare.CompareResult.EQUAL)
          .setModRevision(c.revision());
    } else {
      builder
          .setTarget(io.etcd.jetcd.api.Compare.CompareTarget.MOD)
          .setResult(io.etcd.jetcd.api.Compare.CompareResult.LESS)
          .setModRevision(((TxnRequest.Compare.ModRevisionAtMost) compare).revision() + 1);
    }
    return builder.build();
  }

  private static RequestOp write(TxnRequest.Write write) {
    if (write instanceof TxnRequest.Write.Put put) {
      return RequestOp.newBuilder()
          .setRequestPut(put(put.key(), put.value(), put.leaseId()))
          .build();
    }
    return RequestOp.newBuilder()
        .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(bytes(write.key())))
        .build();
  }

  static TxnReply reply(TxnResponse response) {
    List<Optional<KeyValue>> found = new ArrayList<>();
    if (!response.getSucceeded()) {
      for (ResponseOp op : response.getResponsesList()) {
        found.add(first(op.getResponseRange()));
      }
    }
    return new TxnReply(response.getSucceeded(), response.getHeader().getRevision(), found);
  }

  static WatchEvent event(Event event) {
    return event.getType() == Event.EventType.DELETE
        ? new WatchEvent.Deleted(
            event.getKv().getKey().toStringUtf8(), event.getKv().getModRevision())
        : new WatchEvent.Put(keyValue(event.getKv()));
  }
}
