(ns interregnum.scenario.run
  "A scenario as a test: its steps are one operation of the nemesis, so that a run
  is set up, stored and torn down like any other."
  (:require [clojure.string :as str]
            [interregnum.scenario :as scenario]
            [interregnum.target.nodes :as nodes]
            [jepsen.checker :as checker]
            [jepsen.generator :as gen]
            [jepsen.nemesis :as nemesis]
            [jepsen.tests :as tests]))

(set! *warn-on-reflection* true)

(defrecord ScenarioNemesis [scenario report!]
  nemesis/Nemesis
  (setup! [this _test] this)
  (invoke! [_ test op]
    (assoc op :value (scenario/run! test scenario report!)))
  (teardown! [_ _test])

  nemesis/Reflection
  (fs [_] #{:scenario}))

(defn- outcome
  "The verdict that the scenario itself gave."
  []
  (reify checker/Checker
    (check [_ _test history _opts]
      (let [result (:value (last (filter #(= :scenario (:f %)) history)))]
        (if (:valid? result)
          result
          (or (when (false? (:valid? result)) result)
              {:valid? :unknown, :reason "the scenario was not carried out"}))))))

(defn test-map
  "The test that carries out `scenario` with the options `opts`, calling `(report! i
  step)` before each step."
  [opts scenario report!]
  (merge tests/noop-test
         opts
         {:name (str/join "-" (cons (:name scenario) (:defect opts)))
          :role :ddl
          :logging {:console :warn}
          :db (nodes/db opts)
          :concurrency 1
          :nemesis (->ScenarioNemesis scenario report!)
          :generator (gen/nemesis (gen/once {:type :info, :f :scenario}))
          :checker (checker/compose {:scenario (outcome)})}))
