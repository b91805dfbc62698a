(ns interregnum.checker.schema.inside
  "What the nodes tell of their inside, held against S-3, S-4, S-5, S-8 and S-12.
  It explains a verdict and never decides one: a system that breaks a promise to
  its clients is wrong whatever it says of itself, and one that only looks odd
  inside is not.

  An `:inside` operation has as its value what one node knew, and the last dump of
  each node the same under :inside, with what the store holds:

    :version    the node's schema version
    :hash       of its tables
    :diffs      [{:version :jobId :term}]
    :history    [{:id :table :progress {:state}}], jobs that ended
    :jobs       jobs that have not ended
    :mdl        rows of the metadata lock"
  (:require [interregnum.checker.schema.ops :as ops]
            [jepsen.history :as h]))

(set! *warn-on-reflection* true)

(defn- polls
  "Map node → `[version hash op]` in the order of completion."
  [history]
  (->> history
       (filter #(and (h/ok? %) (= :inside (:f %)) (:version (:value %))))
       (map (fn [{:keys [value] :as op}] [(:version value) (:hash value) op]))
       (group-by (comp ops/node peek))))

(defn- backwards
  "S-3: a later look at a node that shows a lower version."
  [history polls]
  (for [[node seen] (sort-by key polls)
        [[before _ earlier] [after _ later]] (partition 2 1 seen)
        :when (and (< after before)
                   (< (:time earlier) (:time (h/invocation history later))))]
    {:finding "S-3: a node's schema version went back"
     :node node, :from before, :to after, :at (:index later)}))

(defn- differing
  "S-4: two looks at one version that show different tables."
  [polls]
  (for [[version seen] (sort-by key (group-by first (mapcat val polls)))
        :let [by-hash (group-by second seen)]
        :when (< 1 (count by-hash))]
    {:finding "S-4: one schema version, different tables"
     :version version
     :nodes (vec (sort (distinct (map (comp ops/node peek) seen))))}))

(defn- retreating-terms
  "S-8: a later version that was written under an earlier term."
  [diffs]
  (for [[a b] (partition 2 1 (sort-by :version (filter (comp pos? :term) diffs)))
        :when (< (:term b) (:term a))]
    {:finding "S-8: a deposed owner wrote after its successor"
     :versions [(:version a) (:version b)]
     :terms [(:term a) (:term b)]}))

(defn- repeated-jobs
  "S-5: a job with more than one record."
  [ended]
  (for [[id n] (sort-by key (frequencies (map :id ended)))
        :when (< 1 n)]
    {:finding "S-5: a job ended more than once", :job id}))

(defn- leftovers
  "S-12: what should be gone when all is quiet."
  [{:keys [jobs mdl]}]
  (concat
    (for [job jobs]
      {:finding "S-12: a job has not ended", :job (:id job), :table (:table job)})
    (for [row mdl]
      {:finding "S-12: a metadata lock row was left behind", :job (:jobId row)})))

(defn- last-inside
  [history]
  (->> history
       (filter #(and (h/ok? %) (= :dump (:f %))))
       (keep (comp :inside :value))
       last))

(defn analysis
  "What `history` tells of the nodes' inside:

    :poll-count  looks at nodes
    :findings    [{:finding sentence, ...}]"
  [history]
  (let [polls (polls history)
        inside (last-inside history)]
    {:poll-count (transduce (map (comp count val)) + polls)
     :findings (vec (concat (backwards history polls)
                            (differing polls)
                            (retreating-terms (:diffs inside))
                            (repeated-jobs (:history inside))
                            (leftovers inside)))}))
