(ns interregnum.workload.lanes
  "One generator for two kinds of threads: busy ones, which take operations one
  after the other, and patient ones, which call seldom. While the busy threads of a
  node hang on a node that does not answer, patient ones call it long after it
  stopped, and meet what it knows when it wakes up. For operations that follow from
  each other, so that both kinds have to take them from one source;
  `interregnum.workload.pace/patient` is for two sources."
  (:require [interregnum.workload.pace :as pace]
            [jepsen.generator :as gen]
            [jepsen.generator.context :as context]
            [jepsen.random :as rand]))

(set! *warn-on-reflection* true)

(defn- pause-nanos
  "A time between two operations of a lane that has one each `interval` seconds."
  [interval]
  (long (* 2 interval 1000000000 (rand/double))))

(defn- soonest
  "The lane that may go first, with the context of its free threads as `:context`;
  nil if all threads are busy."
  [lanes ctx]
  (->> (vals lanes)
       (keep (fn [{:keys [restrict due] :as lane}]
               (let [own (restrict ctx)]
                 (when (pos? (context/free-thread-count own))
                   (assoc lane :context own :at (max due (:time ctx)))))))
       (sort-by :at)
       first))

;; `lanes` is a map of name → {:name :restrict :interval :due}.
(defrecord Lanes [generator lanes]
  gen/Generator
  (op [this test ctx]
    (if-let [{:keys [name interval at] own :context} (soonest lanes ctx)]
      (when-let [[op generator'] (gen/op generator test own)]
        (if (= :pending op)
          [:pending (assoc this :generator generator')]
          (let [at (max at (:time op))]
            [(assoc op :time at, :process (rand/nth (vec (context/free-processes own))))
             (-> this
                 (assoc :generator generator')
                 (assoc-in [:lanes name :due] (+ at (pause-nanos interval))))])))
      [:pending this]))

  (update [this test ctx event]
    (assoc this :generator (gen/update generator test ctx event))))

(defn- lane
  [name interval threads]
  [name {:name     name
         :restrict (context/make-thread-filter (set threads))
         :interval interval
         :due      0}])

(defn lanes
  "`generator`'s operations at `rate` a second by half of the threads of each node,
  and seldom by the other half. A test of one thread for each node has busy ones
  alone."
  [generator rate {:keys [nodes concurrency]}]
  (let [n       (count nodes)
        patient (* n (quot (quot concurrency n) 2))]
    (->Lanes generator
             (into {}
                   (cond-> [(lane :busy (/ 1 rate) (range patient concurrency))]
                     (pos? patient)
                     (conj (lane :patient (/ pace/patient-secs patient) (range patient))))))))
