(ns interregnum.suite
  "Builds a test map from options: workload, faults, target and checkers."
  (:require [clojure.string :as str]
            [interregnum.checker.coverage :as coverage]
            [interregnum.checker.rest :as rest]
            [interregnum.nemesis :as nemesis]
            [interregnum.progress :as progress]
            [interregnum.storms :as storms]
            [interregnum.target.nodes :as nodes]
            [interregnum.workload :as workload]
            [jepsen.checker :as checker]
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
            :generator            (progress/watched (storms/generator opts workload faults)
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
