(ns interregnum.storms
  "The course of a run: storms of load and faults, calms between them, and the end."
  (:require [interregnum.nemesis.enough :as enough]
            [interregnum.nemesis.sampler :as sampler]
            [interregnum.nemesis.segments :as segments]
            [jepsen.generator :as gen]))

(set! *warn-on-reflection* true)

(def ^:private extra-secs
  "How much longer than its time limit a run may last until every fault has taken
  effect."
  60)

(def ^:private closing-secs
  "How long the last fault of a storm takes, about."
  8)

(def ^:private linger-secs
  "How long a fault outlasts the load, if one does."
  2)

(def ^:private round-secs
  "How long a storm and the calm after it take, about."
  25)

(defn- round-count
  "How many storms a run has: one, unless there is something to be seen in the calm
  between two."
  [{:keys [time-limit]} {:keys [calm]} {:keys [closing]}]
  (if (and calm closing)
    (max 1 (quot time-limit round-secs))
    1))

(defn- storm
  "Load and faults for `secs` seconds, and until every family has taken effect if it is
  the last one."
  [secs last? {:keys [families]}]
  {:with [:load :faults]
   :gen  (enough/time-limit secs (if last? extra-secs 0) families nil)})

(defn- end-of-storm
  "Segments in which a fault outlasts the load, if there is a :closing one for the `i`-th
  storm, and all faults end. Operations that hang on a fault are not waited for."
  [i {:keys [closing final-generator]}]
  (let [lasting (when closing (closing i))]
    [{:with [:load], :gen (gen/nemesis lasting)}
     {:with [], :gen (gen/nemesis [(when (seq lasting) (gen/sleep linger-secs))
                                   final-generator])}]))

(defn- rounds
  "The segments of a run: storms, with calms between."
  [{:keys [time-limit] :as opts} {:keys [calm] :as workload} {:keys [closing] :as faults}]
  (let [n    (round-count opts workload faults)
        secs (/ time-limit n)
        secs (if closing (max (/ secs 2) (- secs closing-secs)) secs)]
    (mapcat (fn [i]
              (let [last? (= i (dec n))]
                (concat [(storm secs last? faults)]
                        (end-of-storm i faults)
                        (when-not last?
                          [{:with [], :gen (gen/clients calm)}]))))
            (range n))))

(defn generator
  "Storms of load and faults for the `:time-limit` of `opts` in all, with the cluster at
  rest after each; then the final operations of `workload`, and who reigned when.
  `faults` is a package of `interregnum.nemesis`."
  [opts workload faults]
  [(segments/segments {:load   (gen/clients (:generator workload))
                       :faults (gen/nemesis (:generator faults))}
                      (rounds opts workload faults))
   (gen/phases
     (gen/clients (:final-generator workload))
     (gen/nemesis (gen/once sampler/record-op)))])
