(ns interregnum.checker.schema
  "What a schema change promises, checked on a history of the schema workload.

  What clients saw decides the verdict; what the nodes tell of their inside
  explains it."
  (:require [interregnum.checker.schema.cancels :as cancels]
            [interregnum.checker.schema.existence :as existence]
            [interregnum.checker.schema.inside :as inside]
            [interregnum.checker.schema.quiescence :as quiescence]
            [interregnum.checker.schema.rows :as rows]
            [jepsen.checker :as checker]
            [jepsen.history :as h]))

(set! *warn-on-reflection* true)

(def invariants
  "Name → title of every invariant, the most telling first."
  (array-map
    :existence   "S-1, S-14, S-15: what is there is found, what is not is not"
    :rows        "S-9b: rows and indexes hold what was written"
    :cancelled   "S-7: a cancelled schema change has no effect"
    :stuck       "S-12: no schema change is stuck"
    :convergence "S-11: all nodes tell the same in the end"))

(def changes
  "The operations that change the schema."
  #{:create :drop :rename :truncate :add-column :drop-column :add-index :drop-index})

(defn- acked-changes
  [history]
  (count (filter #(and (h/ok? %) (changes (:f %))) history)))

(defn- verdict
  [results change-count]
  (let [broken (filterv #(false? (:valid? (results %))) (keys invariants))
        unknown (first (filter #(= :unknown (:valid? (results %))) (keys invariants)))]
    (cond
      (seq broken)
      {:valid? false
       :violated broken
       :reason (str (invariants (first broken)) ": " (:reason (results (first broken))))}

      (zero? change-count)
      {:valid? :unknown, :reason "No schema change was ever acknowledged."}

      unknown
      {:valid? :unknown, :reason (:reason (results unknown))}

      :else
      {:valid? true
       :reason (str change-count " acknowledged schema changes kept every promise.")})))

(defn analysis
  "The result for `history` on `nodes`:

    :valid? :reason :violated
    :change-count  acknowledged schema changes
    :invariants    {name result}, see `invariants`
    :inside        what the nodes tell of their inside, which decides nothing"
  [nodes history]
  (let [moving (quiescence/moving history)
        results {:existence (existence/analysis #{} history)
                 :rows (rows/analysis history moving)
                 :cancelled (cancels/analysis history)
                 :stuck (quiescence/stuck-analysis history)
                 :convergence (or moving
                                  (quiescence/convergence-analysis nodes history))}
        change-count (acked-changes history)]
    (assoc (verdict results change-count)
           :change-count change-count
           :invariants results
           :inside (inside/analysis history))))

(defn checker
  "The `analysis` as a Checker."
  []
  (reify checker/Checker
    (check [_ test history _opts]
      (analysis (:nodes test) history))))
