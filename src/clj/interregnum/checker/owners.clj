(ns interregnum.checker.owners
  "Who reigned when, from the owner samples of a history.

  The sampler's `:owners` operation carries every sighting as

    {:role :autoid :id \"n2\" :term 41 :from 1200 :to 5300}

  the first and the last time, in nanoseconds since the start of the run, at
  which this term was seen to reign. Sightings of one term may overlap.")

(set! *warn-on-reflection* true)

(defn- join
  "Two sightings of one term as one."
  [a b]
  (assoc a
         :from (min (:from a) (:from b))
         :to   (max (:to a) (:to b))))

(defn reigns
  "The reigns of `role` that `history` saw, in order of term: maps of :id :term
  :from :to. Empty if nothing was sampled."
  [history role]
  (->> history
       (reduce (fn [by-term op]
                 (if (and (= :owners (:f op)) (sequential? (:value op)))
                   (reduce (fn [by-term sighting]
                             (if (= role (:role sighting))
                               (update by-term (:term sighting)
                                       #(if % (join % sighting) sighting))
                               by-term))
                           by-term (:value op))
                   by-term))
               (sorted-map))
       vals
       (mapv #(select-keys % [:id :term :from :to]))))

(def shortest-reign-nanos
  "A reign shorter than this may pass between two samples unseen."
  100000000)

(defn changes
  "How many times the owner changed over `reigns`, as seen."
  [reigns]
  (max 0 (dec (count reigns))))

(defn changes-max
  "An upper bound on how many times the owner changed between `start` and `end`
  (nanoseconds): whatever time no sighting covers may hide reigns of
  `shortest-reign-nanos`."
  [reigns start end]
  (let [edges (concat [start] (mapcat (juxt :from :to) reigns) [end])
        blind (map (fn [[from to]] (max 0 (- to from))) (partition 2 edges))]
    (+ (count reigns)
       (reduce + (map #(quot % shortest-reign-nanos) blind)))))

(defn returned
  "The reigns with which an owner came back that had reigned before another one."
  [reigns]
  (loop [[{:keys [id] :as reign} & more] reigns, last-id nil, seen #{}, found []]
    (if reign
      (recur more id (conj seen id)
             (cond-> found
               (and (seen id) (not= id last-id)) (conj reign)))
      found)))

(defn returns
  "How many reigns belong to an owner that had reigned before another one."
  [reigns]
  (count (returned reigns)))

(defn during
  "The reigns that may have served a call between `start` and `end`
  (nanoseconds), as {:id :term}."
  [reigns start end]
  (mapv #(select-keys % [:id :term])
        (filter #(and (<= (:from %) end) (<= start (:to %))) reigns)))
