(ns interregnum.suite
  "Builds a test map from options: workload, faults, target and checkers."
  (:require [clojure.string :as str]
            [interregnum.checker.coverage :as coverage]
            [interregnum.checker.rest :as rest]
            [interregnum.nemesis :as nemesis]
            [interregnum.nemesis.enough :as enough]
            [interregnum.nemesis.sampler :as sampler]
            [interregnum.nemesis.segments :as segments]
            [interregnum.progress :as progress]
            [interregnum.target.nodes :as nodes]
            [interregnum.workload :as workload]
            [jepsen.checker :as checker]
            [jepsen.generator :as gen]
            [jepsen.tests :as tests]))

(set! *warn-on-reflection* true)

(defn- test-name
  "The name under which the run is stored."
  [{:keys [workload nemesis defect]}]
  (str/join "-" (concat [workload]
                        (if (seq nemesis) nemesis ["none"])
                        defect)))

(def ^:private tries-min
  "How often an `:f` has to be tried before it is expected to succeed."
  20)

(defn- exercised
  "Jepsen's stats, except that an `:f` which never succeeded, though it was tried
  some times, makes the verdict unknown: it says something about the run, not about
  the system."
  []
  (let [stats (checker/stats)]
    (reify checker/Checker
      (check [_ test history opts]
        (let [result (checker/check stats test history opts)
              idle   (keep (fn [[f r]] (when-not (or (true? (:valid? r))
                                                     (< (:count r) tries-min))
                                         f))
                           (:by-f result))]
          (cond-> (assoc result :valid? true)
            (seq idle)
            (assoc :valid? :unknown
                   :reason (str "No " (name (first idle)) " ever succeeded."))))))))

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

(defn- generator
  "Storms of load and faults for `:time-limit` in all, with the cluster at rest after
  each; then the workload's final operations, and who reigned when."
  [opts workload faults]
  [(segments/segments {:load   (gen/clients (:generator workload))
                       :faults (gen/nemesis (:generator faults))}
                      (rounds opts workload faults))
   (gen/phases
     (gen/clients (:final-generator workload))
     (gen/nemesis (gen/once sampler/record-op)))])

(defn test-map
  "The test for `opts`, as `interregnum.cli.options/parse` gives them."
  [opts]
  (let [workload ((workload/workloads (:workload opts)) opts)
        faults   (nemesis/package (:nemesis opts)
                                  {:seed       (:seed opts)
                                   :interval   (:nemesis-interval opts)
                                   :lease-secs (:lease-secs opts)
                                   :role       (:role workload)
                                   :time-limit (:time-limit opts)})
        progress (atom progress/initial)]
    (merge tests/noop-test
           opts
           {:name                 (test-name opts)
            :role                 (:role workload)
            :interrupted          (:interrupted workload)
            :invariants           (merge rest/invariants (:invariants workload))
            :db                   (nodes/db opts)
            :store-ports          nodes/store-ports
            :client               (:client workload)
            :nemesis              (:nemesis faults)
            :fault-families       (:families faults)
            :generator            (progress/watched (generator opts workload faults)
                                                    progress (:perf faults))
            :checker              (checker/compose
                                    {:workload   (:checker workload)
                                     :rest       (rest/checker)
                                     :coverage   (coverage/checker)
                                     :stats      (exercised)
                                     :exceptions (checker/unhandled-exceptions)})
            :plot                 {:nemeses (:perf faults)}
            :logging              {:console :warn}
            :progress             progress
            :nonserializable-keys [:progress]})))
