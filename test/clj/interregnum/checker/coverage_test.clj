(ns interregnum.checker.coverage-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.checker.coverage :as coverage]
            [interregnum.checker.owners :as owners]))

(defn- nemesis-op
  [f value]
  {:process :nemesis :type :info :f f :value value})

(def ^:private sightings
  [{:role :autoid :id "n1" :term 5 :from 0 :to 10}
   {:role :ddl :id "n3" :term 2 :from 0 :to 90}
   {:role :autoid :id "n2" :term 9 :from 20 :to 30}
   {:role :autoid :id "n1" :term 5 :from 5 :to 15}
   {:role :autoid :id "n1" :term 12 :from 40 :to 50}])

(def ^:private resign
  {:name :resign :injects #{:resign} :changes-owner? true})

(deftest reigns-test
  (let [reigns (owners/reigns [(nemesis-op :owners nil)
                               (nemesis-op :owners sightings)]
                              :autoid)]
    (is (= [{:id "n1" :term 5 :from 0 :to 15}
            {:id "n2" :term 9 :from 20 :to 30}
            {:id "n1" :term 12 :from 40 :to 50}]
           reigns))
    (is (= 2 (owners/changes reigns)))
    (is (= 1 (owners/returns reigns)))
    (is (= [{:id "n2" :term 9}] (owners/during reigns 16 30)))
    (testing "unseen time may hide reigns"
      (is (= 3 (owners/changes-max reigns 0 60)))
      (is (= 13 (owners/changes-max reigns 0 (+ 50 1000000000)))))))

(deftest nothing-asked-test
  (is (= {:valid? true
          :reason "The owner changed 0 times."
          :faults {}
          :reigns []
          :change-count 0
          :return-count 0}
         (coverage/analysis [] :autoid []))))

(deftest shortcomings-test
  (let [reason (fn [history]
                 (select-keys (coverage/analysis history :autoid [resign])
                              [:valid? :reason]))]
    (testing "a family that never ran"
      (is (= {:valid? :unknown :reason "No resign fault was injected."}
             (reason []))))
    (testing "a fault that never took effect"
      (is (= {:valid? :unknown :reason "None of 1 resign faults took effect."}
             (reason [(nemesis-op :resign nil)
                      (nemesis-op :resign {:took-effect? false})]))))
    (testing "an owner that never changed"
      (is (= {:valid? :unknown
              :reason "The owner never changed, though the faults were meant to change it."}
             (reason [(nemesis-op :resign nil)
                      (nemesis-op :resign {:took-effect? true})]))))
    (testing "a run that did what it claims"
      (is (= {:valid? true
              :reason "The owner changed 2 times, and every fault took effect."}
             (reason [(nemesis-op :resign nil)
                      (nemesis-op :resign {:took-effect? true})
                      (nemesis-op :owners sightings)]))))))
