(ns interregnum.workload.register
  "Registers: reads, writes and compare-and-sets of single rows through SQL
  transactions, on many keys; each key must be linearizable.

  Operations, with values as independent tuples [key value]:

    :read   nil → the value, nil if the key has no row yet
    :write  the new value
    :cas    [old new]

  Options of the test map:

    :rate              operations a second, 100
    :ops-per-key       operations on a key before the next one is taken, 100
    :threads-per-key   how many threads share a key, two of every node if possible"
  (:require [interregnum.sql :as sql]
            [interregnum.workload.session :as session]
            [jepsen.checker :as checker]
            [jepsen.client :as client]
            [jepsen.generator :as gen]
            [jepsen.independent :as independent]
            [jepsen.random :as rand]
            [jepsen.util :as util]
            [knossos.model :as model]))

(set! *warn-on-reflection* true)

;;; Client

(def ^:private table
  "CREATE TABLE IF NOT EXISTS registers (k BIGINT NOT NULL PRIMARY KEY, v BIGINT)")

(defn- read-value
  [connection k]
  (some-> (sql/query! connection (str "SELECT v FROM registers WHERE k = " k))
          ffirst
          long))

(defn- write!
  "Sets the row of key `k`, whether or not it is there."
  [connection k v]
  (session/in-transaction!
    connection
    (fn []
      (if (seq (sql/query! connection
                           (str "SELECT v FROM registers WHERE k = " k " FOR UPDATE")))
        (sql/execute! connection (str "UPDATE registers SET v = " v " WHERE k = " k))
        (sql/execute! connection
                      (str "INSERT INTO registers (k, v) VALUES (" k ", " v ")"))))))

(defn- cas!
  "Sets the row of key `k` to `new` if it is `old`; whether it was."
  [connection k [old new]]
  (session/in-transaction!
    connection
    (fn []
      (let [v (ffirst (sql/query! connection (str "SELECT v FROM registers WHERE k = "
                                                  k " FOR UPDATE")))
            held? (and v (= old (long v)))]
        (when held?
          (sql/execute! connection (str "UPDATE registers SET v = " new
                                        " WHERE k = " k)))
        (boolean held?)))))

(def ^:private mismatch
  {:type :mismatch, :definite? true, :message "the register held another value"})

(defn- complete
  "The completion of `op` by `connection`."
  [connection {:keys [f value] :as op}]
  (let [[k v] value]
    (case f
      :read (assoc op :type :ok
                   :value (independent/tuple k (read-value connection k)))
      :write (do (write! connection k v) (assoc op :type :ok))
      :cas (if (cas! connection k v)
             (assoc op :type :ok)
             (assoc op :type :fail :error mismatch)))))

(def ^:private setup-options
  {:retry-interval 200
   :log-interval 5000
   :log-message "Waiting for the table of registers to be created"
   :timeout 30000})

(defrecord RegisterClient [session]
  client/Client
  (open! [this test node]
    (assoc this :session (session/session test node {})))

  (setup! [_ test]
    (when (= (:node session) (first (:nodes test)))
      (util/await-fn #(session/setup! session table) setup-options)))

  (invoke! [_ _test op]
    (session/complete! session op #{:read} complete))

  (teardown! [_ _test])

  (close! [_ _test]
    (session/drop! session)))

(defn register-client
  "A client without a session; `open!` gives one for a node."
  []
  (->RegisterClient nil))

;;; Generator

(def ^:private value-count
  "Few values, so that compare-and-sets often meet the one they expect."
  5)

(defn- value
  []
  (rand/long value-count))

(defn- read-op [] {:f :read})
(defn- write-op [] {:f :write, :value (value)})
(defn- cas-op [] {:f :cas, :value [(value) (value)]})

(defn- key-generator
  "The operations on one key: half of them reads."
  [ops-per-key]
  (gen/limit ops-per-key (gen/mix [read-op read-op write-op cas-op])))

(defn- generator
  [{:keys [rate ops-per-key threads-per-key]}]
  (gen/stagger (/ 1 rate)
               (independent/concurrent-generator
                 threads-per-key (range) (fn [_k] (key-generator ops-per-key)))))

(defn- threads-per-key
  "A group size that divides the threads of the test into whole groups: two threads
  of every node or one, so that every node serves every key and transactions on it
  meet."
  [{:keys [nodes concurrency]}]
  (let [n (count nodes)]
    (or (first (filter #(zero? (mod concurrency %)) [(* 2 n) n]))
        1)))

;;; Checker

(defn- key-reason
  "Why key `k` has the given `result`, which is not valid."
  [k {:keys [valid? op error]}]
  (if (false? valid?)
    (str "Key " k " is not linearizable: nothing explains process " (:process op) "'s "
         (name (:f op)) " of " (pr-str (:value op)) " (op " (:index op) ").")
    (str "Key " k " is undecided: " (or error "the search gave up") ".")))

(defn reason
  "What `result`, of all keys, says, in words."
  [{:keys [valid? results]}]
  (let [failed (fn [v] (sort-by key (filter #(= v (:valid? (val %))) results)))
        [k result] (first (failed valid?))
        others (dec (count (failed valid?)))]
    (if (true? valid?)
      (str "All " (count results) " keys are linearizable.")
      (str (key-reason k result)
           (when (pos? others)
             (str " So it is with " others " more."))))))

(def invariants
  "Name → title of what is checked."
  {:linearizable "linearizability of each key"})

(defn- with-verdict
  "`result`, of all keys, with its :reason, and if it is not valid with what is :violated
  and the operations that nothing explains."
  [{:keys [valid? results] :as result}]
  (let [reason (reason result)]
    (cond-> (assoc result :reason reason)
      (false? valid?)
      (assoc :violated   [:linearizable]
             :invariants {:linearizable
                          {:valid? false
                           :reason reason
                           :first  (vec (for [[_ {:keys [valid? op]}] results
                                              :when (false? valid?)]
                                          {:op op}))}}))))

(defn checker
  "Each key is a linearizable register with compare-and-set. Draws those that are not."
  []
  (let [keys-checker (independent/checker
                       (checker/linearizable {:model (model/cas-register)}))]
    (reify checker/Checker
      (check [_ test history opts]
        (with-verdict (checker/check keys-checker test history opts))))))

;;; Workload

(defn- option-defaults
  [opts]
  {:rate 100
   :ops-per-key 100
   :threads-per-key (threads-per-key opts)})

(defn workload
  "The workload as a map :role :client :generator :final-generator :checker :invariants."
  [opts]
  {:role :ddl
   :client (register-client)
   :generator (generator (merge (option-defaults opts) opts))
   :final-generator nil
   :checker (checker)
   :invariants invariants})
