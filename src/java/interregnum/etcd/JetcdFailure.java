package interregnum.etcd;

import io.grpc.Status;

/**
 * What a failed call says about its effect.
 *
 * <p>{@link #NOT_RUN}: no member ran it, another member may be asked. {@link #REFUSED}: etcd
 * answered that it will not do it. {@link #OPEN}: it may have run, or may yet.
 */
enum JetcdFailure {
  NOT_RUN,
  REFUSED,
  OPEN;

  private static final String SERVER_PREFIX = "etcdserver:";
  private static final String NO_LEADER = "etcdserver: no leader";

  /**
   * @param sent whether the request may have left this process
   */
  static JetcdFailure of(Status status, boolean sent) {
    if (!sent || NO_LEADER.equals(status.getDescription())) {
      return NOT_RUN;
    }
    return switch (status.getCode()) {
      case INVALID_ARGUMENT,
          NOT_FOUND,
          ALREADY_EXISTS,
          PERMISSION_DENIED,
          FAILED_PRECONDITION,
          OUT_OF_RANGE,
          UNIMPLEMENTED,
          UNAUTHENTICATED ->
          REFUSED;
      case RESOURCE_EXHAUSTED ->
          // The client raises it too, for a reply that is too large: then the request has run.
          status.getDescription() != null && status.getDescription().startsWith(SERVER_PREFIX)
              ? REFUSED
              : OPEN;
      default -> OPEN;
    };
  }
}
