(ns interregnum.workload.owner-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.workload.owner :as owner]
            [jepsen.generator :as gen]
            [jepsen.generator.test :as sim]))

(def ^:private opts
  {:nodes ["n1" "n2" "n3"] :concurrency 12 :rate 100})

(def ^:private context (sim/n+nemesis-context 12))

(defn- ops
  "The invocations that `gen` makes when every operation succeeds at once."
  [gen]
  (filter #(= :invoke (:type %)) (sim/quick-ops context (gen/clients gen))))

(deftest generator-test
  (doseq [role [:autoid :ddl]
          :let [all (ops (gen/limit 600 (owner/generator opts role)))]]
    (testing "has every kind, and mostly ids"
      (is (= #{:alloc :ddl :claims} (set (map :f all))))
      (is (< 300 (count (filter #(= :alloc (:f %)) all)))))
    (testing "names a table once in a run, the final phase included"
      (let [tables (keep (comp :table :value) (concat all (ops (owner/final-generator opts))))]
        (is (seq tables))
        (is (apply distinct? tables))))))

(deftest role-test
  (testing "the seed chooses whose owner faults strike"
    (is (= [:autoid :ddl :autoid :ddl]
           (map #(:role (owner/workload (assoc opts :seed %))) [-4 3 8 9])))))

(deftest final-generator-test
  (testing "asks every node for each kind of effect and for its claims"
    (is (= {:alloc 3 :ddl 3 :claims 3}
           (frequencies (map :f (ops (owner/final-generator opts))))))))
