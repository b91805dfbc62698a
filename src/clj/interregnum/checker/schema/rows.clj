(ns interregnum.checker.schema.rows
  "S-9b: at any time every index agrees with its table; and when all is quiet, every
  acknowledged write is there, and nothing is there that nobody wrote.

  Row ids are inserted once and deleted at most once; every insert and update
  of a run writes a value of its own. A value may stand at the end if it was
  possibly written and no acknowledged write of the same row began after it was
  complete."
  (:require [clojure.set :as set]
            [interregnum.checker.schema.ops :as ops]
            [jepsen.history :as h]))

(set! *warn-on-reflection* true)

(def shown-max
  "How many failures of a kind a result lists."
  8)

(defn- row-writes
  "What `op` writes: `[[row-id value] …]`; value nil deletes."
  [{:keys [f value]}]
  (case f
    (:insert :update) [[(:id value) (:v value)]]
    :delete [[(:id value) nil]]
    :txn (:rows value)
    nil))

(defn- add-writes
  [rows [invocation completion]]
  (let [op (or completion invocation)
        acked? (and completion (h/ok? completion))]
    (if (and completion (h/fail? completion))
      rows
      (reduce (fn [rows [id v]]
                (update-in rows [(:table (:value invocation)) id] (fnil conj [])
                           {:v v, :op op, :acked? acked?
                            :from (:time invocation)
                            :to (if acked? (:time completion) Long/MAX_VALUE)}))
              rows
              (row-writes invocation)))))

(defn- written
  "Map table → row id → writes that took effect or may have."
  [history]
  (let [clients (h/filter h/client-op? history)]
    (->> (filter h/invoke? clients)
         (map #(vector % (h/completion clients %)))
         (reduce add-writes {}))))

(defn- superseded?
  [write writes]
  (some #(and (:acked? %) (< (:to write) (:from %))) writes))

(defn- may-stand
  "The set of values a row may have at the end, nil for no row."
  [writes]
  (let [values (into #{} (comp (remove #(superseded? % writes)) (map :v)) writes)]
    (cond-> values
      (not-any? :acked? writes) (conj nil))))

(defn- emptied?
  "Whether a truncation of `table` may have removed rows."
  [history table]
  (some #(and (= :truncate (:f %)) (= table (:table (:value %)))) history))

(defn- lineage
  "The names under which the rows of `table` may have been written: renames,
  backwards."
  [history table]
  (let [origin (into {}
                     (comp (filter #(= :rename (:f %)))
                           (map (juxt (comp :to :value) (comp :table :value))))
                     history)]
    (take-while some? (iterate origin table))))

(defn- row-failures
  [writes truncated? table rows]
  (let [found (into {} rows)]
    (concat
      (for [[id ws] (sort writes)
            :let [allowed (cond-> (may-stand ws) truncated? (conj nil))
                  v (get found id)]
            :when (not (contains? allowed v))]
        {:kind (if (nil? v) :lost-row :wrong-row)
         :table table, :row [id v]
         :written (ops/summary (:op (last ws)))})
      (for [[id v] rows
            :when (not (contains? writes id))]
        {:kind :unexpected-row, :table table, :row [id v]}))))

(defn- index-failures
  [table {:keys [rows index-rows check]}]
  (concat
    (for [[index found] (sort index-rows)
          :let [missing (set/difference (set rows) (set found))
                extra (set/difference (set found) (set rows))]
          :when (or (seq missing) (seq extra))]
      {:kind :index-differs, :table table, :index index
       :missing (vec (take shown-max (sort-by first missing)))
       :extra (vec (take shown-max (sort-by first extra)))})
    (when check
      [{:kind :check-table-failed, :table table, :message check}])))

(defn- dump-failures
  [writes changes dump]
  (for [[table {:keys [rows] :as state}] (sort-by key (:tables (:value dump)))
        :let [names (lineage changes table)]
        failure (concat
                  (when rows
                    (row-failures (apply merge-with into (map writes names))
                                  (some #(emptied? changes %) names)
                                  table rows))
                  (index-failures table state))]
    (assoc failure :node (ops/node dump) :dump (:index dump))))

(defn- checks
  "Looks at single tables during the run."
  [history]
  (filter #(and (= :check (:f %)) (h/ok? %)) history))

(defn- check-failures
  [checks]
  (for [{:keys [value] :as check} checks
        :when (:inconsistent value)]
    {:kind :check-table-failed, :table (:table value), :node (ops/node check)
     :message (:inconsistent value), :op (ops/summary check)}))

(defn- dumps
  [history]
  (filter #(and (= :dump (:f %)) (h/ok? %)) history))

(defn- changes
  "Operations that move or empty tables and may have taken effect."
  [history]
  (filterv #(and (#{:truncate :rename} (:f %)) (not (h/fail? %))
                 (not (h/invoke? %)))
           history))

(defn- by-kind
  [failures]
  (into (sorted-map)
        (map (fn [[kind found]]
               [kind {:count (count found)
                      :first (vec (take shown-max found))}]))
        (group-by :kind failures)))

(defn- row-count
  [dumps]
  (transduce (comp (mapcat (comp vals :tables :value))
                   (map (comp count :rows)))
             + 0 dumps))

(defn analysis
  "The result for `history`; `moving`, unless nil, stands for what the dumps at the
  end would say, which were taken too early.

    :valid?      :unknown if there was no dump
    :check-count looks at single tables during the run
    :dump-count  dumps read
    :row-count   rows in them
    :failures    {kind {:count n, :first [failure …]}}; kinds :lost-row
                 :wrong-row :unexpected-row :index-differs :check-table-failed
    :reason      one sentence, unless valid"
  [history moving]
  (let [checks (checks history)
        dumps (if moving [] (dumps history))
        writes (written history)
        changes (changes history)
        failures (into (vec (check-failures checks))
                       (mapcat #(dump-failures writes changes %))
                       dumps)
        base {:check-count (count checks)
              :dump-count (count dumps)
              :row-count (row-count dumps)}]
    (cond
      (seq failures)
      (let [{:keys [kind table node]} (first failures)]
        (assoc base :valid? false, :failures (by-kind failures)
               :reason (str (name kind) " in table " table " on " node)))

      moving
      (merge base moving)

      (empty? dumps)
      (assoc base :valid? :unknown
             :reason "no node's tables were read at the end")

      :else (assoc base :valid? true))))
