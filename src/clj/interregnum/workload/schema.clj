(ns interregnum.workload.schema
  "Schema changes and the use of tables under them: tables, columns and indexes
  come and go on all nodes at once, while rows are written and read, some in
  transactions that span a change.

  Operations, by `:f`; names and row ids are used once in a run:

    :create :drop :truncate          {:table}
    :rename                          {:table :to}
    :add-column :drop-column         {:table :column}
    :add-index :drop-index           {:table :index}
    :insert :update                  {:table :id :v}
    :delete                          {:table :id}
    :select                          {:table}
    :select-column                   {:table :column}
    :check                           {:table}, of its rows against its indexes; of a
                                     success also :inconsistent, what differs, or nil
    :txn                             {:table :rows [[id v] [id v]] :hold-ms}
    :cancel                          of a job that runs, see `jobs/cancel!`
    :drain                           once faults have ended, see `jobs/drain!`
    :inside                          what the node tells of its inside
    :probe                           {:table}, a create once faults have ended
    :dump                            see `statements/dump`

  Options of the test map: those of `plan/default-options`, and :rate, in
  operations a second."
  (:require [interregnum.checker.schema :as checker]
            [interregnum.sql :as sql]
            [interregnum.target.status :as status]
            [interregnum.workload.lanes :as lanes]
            [interregnum.workload.pace :as pace]
            [interregnum.workload.schema.jobs :as jobs]
            [interregnum.workload.schema.plan :as plan]
            [interregnum.workload.schema.statements :as statements]
            [interregnum.workload.session :as session]
            [jepsen.client :as client]
            [jepsen.generator :as gen]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

;;; Client

(def ^:private idempotent
  "Operations without effect: in doubt, they failed."
  #{:select :select-column :check :inside :drain :dump})

(defn- note!
  "Keeps in the atom `names` which table names were used, and which of them are
  acknowledged to be there: `{:used #{} :acked #{}}`."
  [names {:keys [type f value]}]
  (let [{:keys [table to]} value]
    (swap! names
           (fn [known]
             (case [type f]
               ([:invoke :create] [:invoke :rename])
               (update known :used conj (or to table))
               [:ok :create] (update known :acked conj table)
               [:ok :rename] (update known :acked conj to)
               known)))
    (when (and (= :invoke type) (#{:drop :rename} f))
      (swap! names update :acked disj table))))

(defn- change-row!
  "Updates or deletes a row; that none was changed means that it had no effect."
  [connection {:keys [value] :as op}]
  (when (zero? (sql/execute! connection (statements/change-row op)))
    (throw (ex-info "no such row" {:type :no-such-row, :definite? true})))
  value)

(defn- transact!
  "Inserts two rows in one transaction, with a pause between them."
  [connection {:keys [value]}]
  (let [{:keys [table rows hold-ms]} value
        [a b] rows]
    (session/in-transaction!
      connection
      (fn []
        (sql/execute! connection (statements/insert table a))
        (util/sleep hold-ms)
        (sql/execute! connection (statements/insert table b))))
    value))

(defn- look-inside
  "What the node at `address` tells of itself, see `interregnum.checker.schema.inside`."
  [address]
  (if-let [{:keys [version stateHash]} (status/schema address)]
    {:version version, :hash stateHash}
    (throw (ex-info "the status port does not answer"
                    {:type :no-status, :definite? true}))))

(defn- dump
  "All a node tells; its inside too, if it has a status port."
  [names connection address]
  (let [{:keys [used acked]} @names]
    (cond-> (statements/dump connection (sort used) (sort acked))
      (status/schema address)
      (assoc :inside (merge (look-inside address) (status/ddl address))))))

(defn- invoke
  "Carries out `op`; the value of its success."
  [names address connection {:keys [f value] :as op}]
  (case f
    (:create :drop :rename :truncate :add-column :drop-column :add-index
             :drop-index :probe)
    (do (sql/execute! connection (statements/ddl op)) value)

    :insert
    (let [{:keys [table id v]} value]
      (sql/execute! connection (statements/insert table [id v]))
      value)

    (:update :delete) (change-row! connection op)
    (:select :select-column) (do (sql/query! connection (statements/look op)) value)
    :check (assoc value :inconsistent (statements/inconsistency connection (:table value)))
    :txn (transact! connection op)
    :cancel (jobs/cancel! connection)
    :drain (jobs/drain! connection)
    :inside (look-inside address)
    :dump (dump names connection address)))

(defrecord SchemaClient [names session]
  client/Client
  (open! [this test node]
    (assoc this :session (session/session test node session/ddl-options)))

  (setup! [_ _test])

  (invoke! [_ _test op]
    (note! names op)
    (let [completed (session/attempt! session op idempotent
                                      (partial invoke names (:address session)))]
      (note! names completed)
      completed))

  (teardown! [_ _test])

  (close! [_ _test]
    (session/drop! session)))

(defn schema-client
  "A client without a session; `open!` gives one for a node."
  []
  (->SchemaClient (atom {:used #{}, :acked #{}}) nil))

;;; Generator

(defn- patient
  "A try every half a second until one succeeds, for at most `limit-secs`."
  [limit-secs ops]
  (gen/time-limit limit-secs (pace/until-ok ops)))

(def ^:private drain-limit-secs 300)
(def ^:private probe-limit-secs 60)
(def ^:private dump-limit-secs 60)
(def ^:private settle-secs 3)

(defn- probes
  "Creations of tables by `thread`, each of a name of its own."
  [thread]
  (patient probe-limit-secs
           (map (fn [i] {:f :probe, :value {:table (str "probe" thread "x" i)}})
                (range))))

(defn- drained
  "Waits for all schema changes to end."
  []
  (gen/on-threads #{0} (patient drain-limit-secs (gen/repeat {:f :drain}))))

(defn final-generator
  "Once faults have ended: lets clients' transactions and all schema changes end, then
  changes the schema once through every node, then asks every node for all it knows."
  [{:keys [nodes]}]
  (gen/phases
    (gen/sleep settle-secs)
    (drained)
    (pace/on-every-node nodes probes)
    (pace/on-every-node nodes
      (fn [_thread]
        (patient dump-limit-secs (gen/repeat {:f :dump}))))))

;;; Workload

(def option-defaults
  "Options of the workload, where the test map does not say."
  {:rate 40})

(defn workload
  "The workload as a map :role :interrupted :client :generator :final-generator
  :checker :invariants."
  [opts]
  (let [{:keys [rate] :as opts} (merge option-defaults opts)]
    {:role :ddl
     :interrupted checker/changes
     :client (schema-client)
     :generator (lanes/lanes (plan/plan (select-keys opts (keys plan/default-options)))
                             rate opts)
     :calm (drained)
     :final-generator (final-generator opts)
     :checker (checker/checker)
     :invariants checker/invariants}))
