(ns interregnum.storms-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.suite :as suite]
            [jepsen.random :as rand]))

(set! *warn-on-reflection* true)

(defn- plan
  "What the segments of a run of `workload` under `nemesis` take operations from."
  [workload nemesis secs]
  (rand/with-seed 1
    (let [{:keys [generator]}
          (suite/test-map {:workload workload, :nemesis nemesis, :nemesis-interval 4
                           :time-limit secs, :seed 1, :lease-secs 3, :concurrency 24
                           :nodes ["n1" "n2" "n3"]})]
      (mapv :with (:segments (first (:generator generator)))))))

(def ^:private storm [:load :faults])

(deftest rounds-test
  (testing "one storm, of which a phase outlasts the load, then rest"
    (is (= [storm [:load] []]
           (plan "schema" ["phase"] 30)
           (plan "ids" ["phase"] 100)
           (plan "schema" ["kill"] 100)
           (plan "schema" [] 100))))
  (testing "several, if the calm between two shows whether schema changes end"
    (is (= [storm [:load] [] []
            storm [:load] [] []
            storm [:load] []]
           (plan "schema" ["kill" "phase"] 75)))))
