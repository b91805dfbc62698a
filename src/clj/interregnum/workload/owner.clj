(ns interregnum.workload.owner
  "Who owns each role: as nodes claim it, with its term, and as seen in effects, an
  automatic id or a schema change with the term under which it came about.

  Operations, with what an `:ok` adds to the value of the invocation:

    :alloc   {:role :autoid}             :node \"n1\" :term 41 :id 93
    :ddl     {:role :ddl :table \"t7\"}    :node \"n1\" :term 12
    :claims  {}   :node \"n1\" :own {:autoid 41} :directory {:autoid 41 :ddl 12}

  `:own` has the terms in which the node says of itself that it reigns, `:directory`
  those of the first candidates by its reading of etcd.

  Faults strike the owner of one role: with an even seed the id service's, with an odd
  one the coordinator's, so that a series of runs strikes both.

  Options of the test map:

    :rate  operations a second, 100"
  (:require [clojure.string :as str]
            [interregnum.checker.fencing :as checker]
            [interregnum.sql :as sql]
            [interregnum.target.status :as status]
            [interregnum.workload.pace :as pace]
            [interregnum.workload.session :as session]
            [jepsen.client :as client]
            [jepsen.generator :as gen]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

;;; Client

(def ^:private ids-table
  (str "CREATE TABLE owner_ids (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, v BIGINT)"
       " AUTO_ID_CACHE = 1"))

(defn- untold
  "The error of an operation that took effect, but in an unknown term."
  [cause]
  (ex-info "took effect, but the term could not be read"
           {:type :term-untold, :definite? false} cause))

(defn- alloc
  "Takes an id and asks in which term it was reserved."
  [connection value]
  (let [[id] (sql/insert! connection "INSERT INTO owner_ids (v) VALUES (0)")
        [[term]] (try (sql/query! connection "SELECT @@interregnum_autoid_term")
                      (catch Exception e (throw (untold e))))]
    (assoc value :id id :term (long term))))

(defn- owner-term
  "The term in a name such as \"n1@41\"."
  [owner]
  (some-> owner (str/split #"@") second parse-long))

(defn- ddl
  "Creates a table and looks up who did the last step of it, and in which term. The
  name is used once, so that all steps lie between invocation and completion."
  [connection address {:keys [table] :as value}]
  (sql/execute! connection (str "CREATE TABLE " table " (id BIGINT NOT NULL PRIMARY KEY)"))
  (let [job  (first (filter #(= table (:table %)) (status/ddl-history address)))
        term (owner-term (:owner (:progress job)))]
    (if term
      (assoc value :term term)
      (throw (untold nil)))))

(defn- claims
  "What the node says of itself, and of others."
  [address]
  (let [info (status/info address)]
    (when-not info
      (throw (ex-info "the status port does not answer"
                      {:type :no-status, :definite? true})))
    {:own       (select-keys (:terms info) [:autoid :ddl])
     :directory (into {} (for [[role {:keys [term]}] (select-keys (status/info-all address)
                                                                  [:autoid :ddl])
                               :when term]
                           [role term]))}))

(defn- invoke
  [address connection {:keys [f value]}]
  (case f
    :alloc  (alloc connection value)
    :ddl    (ddl connection address value)
    :claims (claims address)))

(def ^:private idempotent
  "Operations without effect: in doubt, they failed."
  #{:claims})

(def ^:private setup-options
  {:retry-interval 200
   :log-interval 5000
   :log-message "Waiting for the table of ids to be created"
   :timeout 30000})

(defrecord OwnerClient [session]
  client/Client
  (open! [this test node]
    (assoc this :session (session/session test node session/ddl-options)))

  (setup! [_ test]
    (when (= (:node session) (first (:nodes test)))
      (util/await-fn #(session/setup! session ids-table) setup-options)))

  (invoke! [_ _test op]
    (session/attempt! session op idempotent (partial invoke (:address session))))

  (teardown! [_ _test])

  (close! [_ _test]
    (session/drop! session)))

(defn owner-client
  "A client without a session; `open!` gives one for a node."
  []
  (->OwnerClient nil))

;;; Generator

(def ^:private alloc-op {:f :alloc, :value {:role :autoid}})
(def ^:private claims-op {:f :claims, :value {}})

(defn- ddl-ops
  "Schema changes, each of a table of its own."
  [prefix]
  (map (fn [i] {:f :ddl, :value {:role :ddl, :table (str prefix i)}}) (range)))

(def ^:private ddl-parts
  "How many of about 25 operations are schema changes, which are slow, by the role that
  faults strike."
  {:autoid 1, :ddl 4})

(defn- mixed
  "An endless mix: mostly ids, some claims, few schema changes."
  [prefix role]
  (gen/mix (concat (repeat 20 (gen/repeat alloc-op))
                   (repeat 4 (gen/repeat claims-op))
                   (for [i (range (ddl-parts role))]
                     (ddl-ops (str prefix i "_"))))))

(defn generator
  "Operations at `:rate`, and others by patient threads; faults strike `role`'s owner."
  [{:keys [rate] :as opts} role]
  (pace/patient opts
                (mixed "patient_" role)
                (gen/stagger (/ 1 rate) (mixed "busy_" role))))

(def ^:private final-limit-secs 30)

(defn final-generator
  "Once faults have ended: each kind of operation once by a thread of every node."
  [{:keys [nodes]}]
  (gen/time-limit
    final-limit-secs
    (pace/on-every-node nodes
      (fn [thread]
        [(pace/until-ok (gen/repeat alloc-op))
         (pace/until-ok (ddl-ops (str "final_" thread "_")))
         (pace/until-ok (gen/repeat claims-op))]))))

;;; Workload

(defn workload
  "The workload as a map :role :client :generator :final-generator :checker
  :invariants."
  [opts]
  (let [{:keys [seed] :as opts} (merge {:rate 100, :seed 0} opts)
        role (if (even? seed) :autoid :ddl)]
    {:role            role
     :client          (owner-client)
     :generator       (generator opts role)
     :final-generator (final-generator opts)
     :checker         (checker/checker)
     :invariants      checker/invariants}))
