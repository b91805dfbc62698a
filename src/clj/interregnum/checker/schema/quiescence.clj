(ns interregnum.checker.schema.quiescence
  "S-11 and S-12: once faults have ended and clients have gone quiet, all nodes
  tell the same, and no schema change is stuck."
  (:require [clojure.data :as data]
            [interregnum.checker.schema.ops :as ops]
            [jepsen.history :as h]))

(set! *warn-on-reflection* true)

(defn- last-dumps
  "Map node → its last dump that succeeded."
  [history]
  (into (sorted-map)
        (comp (filter #(and (= :dump (:f %)) (h/ok? %)))
              (map (juxt ops/node identity)))
        history))

(defn- schema
  "What a dump tells of each table, rows aside."
  [dump]
  (update-vals (:tables (:value dump)) #(select-keys % [:columns :indexes])))

(defn- divergences
  "Nodes whose tables differ from those of the first node."
  [dumps]
  (let [[[node dump] & others] (seq dumps)]
    (for [[other other-dump] others
          :let [[here there] (data/diff (schema dump) (schema other-dump))]
          :when (or here there)]
      {:nodes [node other], :only-first here, :only-second there})))

(defn convergence-analysis
  "Whether the last dumps of all `nodes` name the same tables with the same
  columns and indexes (S-11):

    :valid?       :unknown if a node was not read
    :nodes        those read
    :divergences  [{:nodes [a b], :only-first {}, :only-second {}}]
    :reason       one sentence, unless valid"
  [nodes history]
  (let [dumps (last-dumps history)
        missing (remove (set (keys dumps)) nodes)
        divergences (vec (divergences dumps))
        base {:nodes (vec (keys dumps))}]
    (cond
      (seq divergences)
      (assoc base :valid? false, :divergences divergences
             :reason (str "at the end the nodes "
                          (pr-str (:nodes (first divergences)))
                          " have different tables"))

      (seq missing)
      (assoc base :valid? :unknown
             :reason (str "not read at the end: " (pr-str (vec missing))))

      :else (assoc base :valid? true))))

(defn- never-sent?
  [op]
  (contains? #{:no-connection :no-client} (ops/error-type op)))

(defn moving
  "A result for what cannot be judged, if schema changes were still under way when all
  that the nodes tell was read; else nil."
  [history]
  (let [{:keys [unfinished idle?]}
        (transduce (comp (filter #(and (= :drain (:f %)) (h/ok? %))) (map :value))
                   (fn ([last-look] last-look) ([_ look] look))
                   nil history)]
    (when (and (seq unfinished) (not idle?))
      {:valid? :unknown
       :reason "schema changes were still under way in the end"})))

(defn- unfinished
  "Summaries of the looks at the queue, once all was quiet, that saw it stand still
  with jobs in it."
  [history]
  (into []
        (comp (filter #(and (= :drain (:f %)) (h/ok? %)
                            (:idle? (:value %)) (seq (:unfinished (:value %)))))
              (map ops/summary))
        history))

(defn stuck-analysis
  "Whether, after the last fault, all schema changes ended, and one on a fresh table
  ended well at last on every node that was probed (S-12):

    :valid?       :unknown if no probe reached a node
    :probe-count  probes tried
    :stuck        summaries of those that did not end well, on nodes on which none did
    :unfinished   summaries of looks at the queue that saw jobs which did not end
    :reason       one sentence, unless valid"
  [history]
  (let [probes (filterv #(and (= :probe (:f %)) (not (h/invoke? %))) history)
        served (into #{} (comp (filter h/ok?) (map ops/node)) probes)
        stuck (into []
                    (comp (remove never-sent?) (remove (comp served ops/node))
                          (map ops/summary))
                    probes)
        unfinished (unfinished history)
        base {:probe-count (count probes)}]
    (cond
      (seq unfinished)
      (assoc base :valid? false, :unfinished unfinished
             :reason (str "schema changes did not end: jobs "
                          (pr-str (:unfinished (:value (first unfinished))))))

      (seq stuck)
      (assoc base :valid? false, :stuck stuck
             :reason (str "a schema change on a fresh table did not end on "
                          (:node (first stuck))))

      (not-any? h/ok? probes)
      (assoc base :valid? :unknown
             :reason "no schema change was tried after the last fault")

      :else (assoc base :valid? true))))
