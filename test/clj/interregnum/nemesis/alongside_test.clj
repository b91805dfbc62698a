(ns interregnum.nemesis.alongside-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.nemesis.alongside :as alongside]
            [jepsen.generator :as gen]
            [jepsen.generator.test :as sim]))

(set! *warn-on-reflection* true)

(defn- timeline
  "[seconds f] of what `load` of two clients and `faults` ask for; every operation takes
  a second."
  [load faults]
  (->> (sim/simulate (sim/n+nemesis-context 2)
                     (alongside/alongside (gen/clients load) (gen/nemesis faults))
                     (fn [_ {:keys [process] :as op}]
                       (cond-> (update op :time + 1000000000)
                         (integer? process) (assoc :type :ok))))
       (filter #(or (= :invoke (:type %)) (= :nemesis (:process %))))
       (map (fn [{:keys [time f]}] [(quot time 1000000000) f]))))

(deftest alongside-test
  (let [reads (gen/stagger 1/2 (gen/repeat {:f :read}))]
    (testing "load goes on until the last fault is asked for"
      (let [seen (timeline reads (gen/delay 10 [{:type :info, :f :kill}
                                                {:type :info, :f :start}]))]
        (is (= [:kill :start] (distinct (remove #{:read} (map second seen)))))
        (is (<= 15 (count (filter #(= :read (second %)) seen)) 25))
        (is (<= 9 (first (last (filter #(= :read (second %)) seen))) 12))))
    (testing "faults go on without load"
      (is (= [:kill] (distinct (map second (timeline nil {:type :info, :f :kill}))))))
    (testing "no faults, no load"
      (is (empty? (timeline reads nil))))))
