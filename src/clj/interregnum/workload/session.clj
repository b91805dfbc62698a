(ns interregnum.workload.session
  "A client's session with its node: one connection, opened when it is needed and
  dropped when it is of no more use.

    :node        the node's name
    :address     its address
    :connection  an atom with the connection, or nil
    :options     of `interregnum.sql/connect!`"
  (:require [interregnum.error :as error]
            [interregnum.host :as host]
            [interregnum.sql :as sql]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(def ddl-options
  "Of a session that changes the schema: that waits for every node, so an answer may
  take its time."
  {:socket-timeout-ms 20000})

(defn session
  "A session with `node`, not yet connected."
  [test node options]
  {:node node
   :address (host/address test node)
   :connection (atom nil)
   :options options})

(defn connection!
  "The session's connection, opened if there is none."
  [{:keys [connection address options]}]
  (or @connection
      (reset! connection
              (try (sql/connect! address options)
                   (catch Exception e (throw (error/connecting e)))))))

(defn drop!
  "Closes the session's connection, if there is one."
  [{:keys [connection]}]
  (sql/close! @connection)
  (reset! connection nil))

(def ^:private refused-pause-ms
  "How long a client waits after a node would not talk to it. A node that is down
  refuses at once; without a pause it would attract most of the operations."
  300)

(defn complete!
  "Completes `op` with `(f connection op)`, which gives the completed op; an
  exception decides between :fail and :info, see `interregnum.error`. Ops whose
  `:f` is in `idempotent` fail when their outcome is unknown. An error has the
  node's name with it."
  [{:keys [node] :as session} op idempotent f]
  (try
    (f (connection! session) op)
    (catch Exception e
      (let [error (error/classify e)]
        (when (error/broken-connection? error)
          (drop! session))
        (when (= :no-connection (:type error))
          (util/sleep refused-pause-ms))
        (error/complete op (assoc error :node node) idempotent)))))

(defn attempt!
  "Completes `op` as `complete!` does, but `f` gives the value of a success, a map,
  to which the node's name is added."
  [session op idempotent f]
  (complete! session op idempotent
             (fn [connection op]
               (assoc op
                      :type :ok
                      :value (assoc (f connection op) :node (:node session))))))

(defn setup!
  "Runs `statement`; that a table exists already is fine, since an earlier try may
  have been answered by silence. Any other error drops the connection and is
  thrown."
  [session statement]
  (try
    (sql/execute! (connection! session) statement)
    (catch Exception e
      (when-not (= :table-exists (:type (error/classify e)))
        (drop! session)
        (throw e)))))

(defn in-transaction!
  "Runs `(f)` between BEGIN and COMMIT and returns its value; rolls back if it
  throws."
  [connection f]
  (sql/execute! connection "BEGIN")
  (let [value (try
                (f)
                (catch Exception e
                  (try (sql/execute! connection "ROLLBACK")
                       (catch Exception rollback (.addSuppressed e rollback)))
                  (throw e)))]
    (sql/execute! connection "COMMIT")
    value))
