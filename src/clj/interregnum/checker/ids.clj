(ns interregnum.checker.ids
  "Checks a history of the ids workload against what an auto-increment service
  promises: unique ids that grow in real time across all nodes, whoever reigns.

  `interregnum.checker.ids.calls` has the operations. Every invariant is a pure
  function of a table's calls; a result names the operations that broke it, with
  nodes, ids, the terms that may have reigned, and times in nanoseconds since the
  start of the run:

    {:valid? false
     :reason \"Process 4 at n1 got ids 5..7 of table 0 although ...\"
     :violated [:real-time-order]
     :invariants {:real-time-order
                  {:valid? false :reason \"...\" :count 3
                   :first [{:earlier op :later op} ...], :worst {...}}
                  :unique {:valid? true} ...}
     :linearizable {:valid? false :reason \"...\" ...}
     :tables {0 {:acked-count 812 ...}}}

  `:linearizable` is the second opinion of `interregnum.checker.ids.counter`. Where
  it contradicts the invariants the verdict is unknown."
  (:require [interregnum.checker.ids.calls :as calls]
            [interregnum.checker.ids.counter :as counter]
            [interregnum.checker.ids.order :as order]
            [interregnum.checker.ids.rebases :as rebases]
            [interregnum.checker.ids.report :as report]
            [interregnum.checker.ids.rows :as rows]
            [interregnum.checker.ids.values :as values]
            [interregnum.checker.owners :as owners]
            [jepsen.checker :as checker])
  (:import (interregnum.check.ids Call)))

(set! *warn-on-reflection* true)

(def default-id-step
  "How many ids an owner reserves at a time."
  4000)

(def invariants
  "Name → title of every invariant, the most telling first: a result's reason is
  that of the first one broken."
  (array-map
    :unique          "ID-1 uniqueness"
    :real-time-order "ID-4 real-time order"
    :session-order   "ID-3 session order"
    :floor           "ID-5 explicit ids are a floor"
    :collisions      "ID-6 explicit and implicit ids stay apart"
    :rows            "rows read = rows acknowledged"
    :shape           "ID-2 shape of batches"
    :next-id         "ID-9 reads of the next id"
    :gaps            "ID-7 bound on missing ids"))

(defn- prepare
  "Adds to a table's calls the inserts in doubt whose ids the reads tell."
  [{:keys [unacked reads] :as table}]
  (assoc table :recovered
         (calls/recovered unacked (rows/ids-by-tag reads))))

(defn- check-table
  "Invariant → result for one table."
  [table {:keys [reigns limits]}]
  {:linearizable    (counter/linearizable table reigns)
   :unique          (values/unique table reigns)
   :real-time-order (order/real-time table reigns)
   :session-order   (order/session table reigns)
   :floor           (order/floor table reigns)
   :collisions      (values/collisions table reigns)
   :rows            (rows/rows table reigns)
   :shape           (values/shape table reigns)
   :next-id         (order/peek table reigns)
   :gaps            (values/gaps table limits)})

(defn- table-stats
  "What was exercised on one table, for the reader of a result."
  [{:keys [allocations explicits peeks unacked recovered deletes forces reads]} gaps]
  (cond->
    {:acked-count     (+ (count allocations) (count explicits))
     :explicit-count  (count explicits)
     :id-count        (transduce (map #(alength (.ids ^Call %))) + allocations)
     :unacked-count   (count unacked)
     :recovered-count (count recovered)
     :next-id-count   (count peeks)
     :read-count      (count reads)
     :missing-count   (:missing gaps)
     :missing-bound   (:bound gaps)}
    (seq deletes) (assoc :delete-count (count deletes))
    (seq forces)  (assoc :force-count (count forces))))

(defn- join-tables
  "One result for an invariant from those of all tables."
  [results]
  (let [unknown (first (filter #(= :unknown (:valid? %)) results))
        joined  (report/sum (remove #(= :unknown (:valid? %)) results))]
    (if (and unknown (:valid? joined)) unknown joined)))

(defn- limits
  "What bounds the missing ids: how often the owner may have changed, and the
  size of its ranges."
  [history reigns id-step]
  (let [end (transduce (map :time) max 0 history)]
    {:changes (owners/changes-max reigns 0 end)
     :step    id-step}))

(defn- verdict
  "The whole result from invariant → result; `doubt` is why the invariants may not
  hold even of a correct service, or nil."
  [results acked-count doubt]
  (let [broken  (filterv #(false? (:valid? (results %))) (keys invariants))
        unknown (first (filter #(= :unknown (:valid? %)) (vals results)))]
    (cond doubt
          {:valid? :unknown :reason doubt}
          (seq broken)
          {:valid? false
           :violated broken
           :reason (str (invariants (first broken)) ": "
                        (:reason (results (first broken))))}
          (zero? acked-count)
          {:valid? :unknown :reason "No insert was ever acknowledged."}
          unknown
          {:valid? :unknown :reason (:reason unknown)}
          :else
          {:valid? true
           :reason (str acked-count " acknowledged inserts kept every promise.")})))

(defn analysis
  "The result for `history`, a reducible of indexed operations. Options:

    :id-step  how many ids an owner reserves at a time"
  [history {:keys [id-step] :or {id-step default-id-step}}]
  (let [tables  (update-vals (calls/tables history) prepare)
        reigns  (owners/reigns history :autoid)
        context {:reigns reigns :limits (limits history reigns id-step)}
        checked (into {}
                      (for [[id table] tables]
                        [id (counter/agreed (check-table table context) id)]))
        results (into (sorted-map)
                      (for [k (keys invariants)]
                        [k (join-tables (map k (vals checked)))]))
        search  (join-tables (map :linearizable (vals checked)))
        stats   (into (sorted-map)
                      (for [[id table] tables]
                        [id (table-stats table (:gaps (checked id)))]))]
    (merge (verdict (assoc results :linearizable search)
                    (transduce (map :acked-count) + (vals stats))
                    (some #(rebases/doubt % id-step) (vals tables)))
           {:invariants results :linearizable search :tables stats})))

(defn checker
  "The `analysis` as a Checker; `:id-step` comes from the test map."
  []
  (reify checker/Checker
    (check [_ test history _]
      (analysis history (select-keys test [:id-step])))))
