(ns interregnum.nemesis-test
  (:require [clojure.test :refer [are deftest is testing]]
            [interregnum.nemesis :as nemesis]
            [jepsen.generator :as gen]
            [jepsen.generator.test :as sim]
            [jepsen.nemesis :as jepsen-nemesis]))

(def ^:private opts
  {:seed 3 :interval 4 :lease-secs 3 :time-limit 30})

(deftest parse-test
  (are [argument names] (= names (nemesis/parse argument))
    "all"          ["kill" "partition" "pause" "resign"]
    "none"         []
    "kill"         ["kill"]
    "pause, kill"  ["kill" "pause"]
    "kill,kill,"   ["kill"]
    "typo"         ["typo"]))

(deftest package-test
  (testing "every family can do what its generators ask for"
    (let [{:keys [nemesis generator final-generator families]}
          (nemesis/package (nemesis/parse "all") opts)
          asked (->> (gen/phases (gen/limit 60 generator) final-generator)
                     gen/nemesis
                     (sim/perfect* (sim/n+nemesis-context 2))
                     (map :f)
                     set)]
      (is (= [:kill :partition :pause :resign] (map :name families)))
      (is (= asked (disj (jepsen-nemesis/fs nemesis) :owners :await-rest)))
      (is (every? asked (mapcat :injects families)))))
  (testing "without faults only the sampler is left"
    (is (= #{:owners :await-rest}
           (jepsen-nemesis/fs (:nemesis (nemesis/package [] opts)))))))

(deftest beginnings-test
  (testing "families begin one after another, all of them early enough"
    (let [firsts (->> (nemesis/package (nemesis/parse "all") opts)
                      :generator
                      (gen/time-limit 30)
                      gen/nemesis
                      (sim/perfect* (sim/n+nemesis-context 2))
                      (filter #(= :info (:type %)))
                      (reduce (fn [m {:keys [f time]}] (update m f #(or % time))) {}))]
      (is (= {:kill 2.0 :start-partition 8.0 :pause 14.0 :resign 20.0}
             (update-vals (select-keys firsts [:kill :start-partition :pause :resign])
                          #(/ (Math/round (/ % 1e8)) 10.0)))))))

(deftest holds-test
  (testing "pauses and partitions outlast the lease"
    (doseq [[family start stop] [["pause" :pause :resume]
                                 ["partition" :start-partition :stop-partition]]]
      (let [times (->> (gen/limit 40 (:generator (nemesis/package [family] opts)))
                       gen/nemesis
                       (sim/perfect* (sim/n+nemesis-context 2))
                       (filter #(= :info (:type %)))
                       (map (juxt :f :time)))]
        (doseq [[[f from] [g to]] (partition 2 times)]
          (is (= [start stop] [f g]))
          (is (< 3000000000 (- to from))))))))
