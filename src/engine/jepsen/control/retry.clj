(ns jepsen.control.retry
  "A remote that outlives its connection.

  Wraps another remote. A call that fails with `{:type
  :jepsen.control/ssh-failed}` is tried again, five times in all, on a new
  connection. A command whose connection broke may have run already, so
  commands should be ones that can be run twice."
  (:require [clojure.tools.logging :refer [info]]
            [jepsen.control.core :as core]
            [jepsen.random :as rand]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(def ^:private tries-max 5)
(def ^:private backoff-ms-min 50)
(def ^:private backoff-ms-max 150)

(defn- backoff!
  []
  (util/sleep (rand/long backoff-ms-min backoff-ms-max)))

(defn- ssh-failed?
  [e]
  (= :jepsen.control/ssh-failed (:type (ex-data e))))

(defn- with-tries
  "Calls `(f)` up to five times, as long as it throws ssh-failed;
  `(on-failure)` comes between."
  [f on-failure]
  (loop [tries-left tries-max]
    (let [res (try
                [:done (f)]
                (catch clojure.lang.ExceptionInfo e
                  (if (and (ssh-failed? e) (< 1 tries-left))
                    [:failed e]
                    (throw e))))]
      (if (= :done (first res))
        (second res)
        (do (backoff!)
            (on-failure)
            (recur (dec tries-left)))))))

(defn- reconnect!
  "Replaces the broken connection, unless another thread already has."
  [{:keys [remote conn-spec state lock]} broken]
  (locking lock
    (when (identical? broken @state)
      (info "Reconnecting to" (:host conn-spec))
      (core/disconnect! broken)
      (reset! state (try (core/connect remote conn-spec)
                         (catch clojure.lang.ExceptionInfo e
                           (if (ssh-failed? e)
                             broken
                             (throw e))))))))

(defn- call!
  [{:keys [state] :as this} f]
  (let [used (volatile! nil)]
    (with-tries #(f (vreset! used @state))
                #(reconnect! this @used))))

(defrecord RetryRemote [remote conn-spec state lock]
  core/Remote
  (connect [this conn-spec]
    (assoc this
           :conn-spec conn-spec
           :lock      (Object.)
           :state     (atom (with-tries #(core/connect remote conn-spec)
                                        (constantly nil)))))

  (disconnect! [_]
    (when state
      (core/disconnect! @state)))

  (execute! [this context action]
    (call! this #(core/execute! % context action)))

  (upload! [this context local-paths remote-path opts]
    (call! this #(core/upload! % context local-paths remote-path opts)))

  (download! [this context remote-paths local-path opts]
    (call! this #(core/download! % context remote-paths local-path opts))))

(defn remote
  "Wraps a remote that is not connected yet."
  [inner]
  (map->RetryRemote {:remote inner}))
