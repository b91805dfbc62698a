(ns interregnum.nemesis-test
  (:require [clojure.test :refer [are deftest is testing]]
            [interregnum.nemesis :as nemesis]
            [jepsen.generator :as gen]
            [jepsen.generator.test :as sim]
            [jepsen.nemesis :as jepsen-nemesis]))

(def ^:private opts
  {:seed 3 :interval 4 :lease-secs 3 :time-limit 30 :role :ddl})

(deftest parse-test
  (are [argument names] (= names (nemesis/parse argument))
    "all"          ["delete-key" "kill" "partition" "pause" "phase" "resign"]
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
      (is (= [:resign :delete-key :phase :kill :partition :pause] (map :name families)))
      (is (= asked (disj (jepsen-nemesis/fs nemesis) :owners)))
      (is (every? asked (mapcat :injects families)))))
  (testing "failpoints are disarmed once all nodes answer again"
    (let [words (map :f (:final-generator (nemesis/package (nemesis/parse "all") opts)))]
      (is (= [:end-phase :await-rest :end-phase] (take-last 3 words)))
      (is (= [:await-rest] (map :f (:final-generator (nemesis/package [] opts)))))))
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
      (is (= {:resign 2.0 :delete-key 5.7 :phase 9.3 :kill 13.0
              :start-partition 16.7 :pause 20.3}
             (update-vals (dissoc firsts :start :stop-partition :resume :end-phase)
                          #(/ (Math/round (/ % 1e8)) 10.0)))))))

(deftest signals-test
  (testing "nodes end in both ways"
    (is (= #{:kill :term}
           (->> (:generator (nemesis/package ["kill"] opts))
                (gen/limit 40)
                gen/nemesis
                (sim/perfect* (sim/n+nemesis-context 2))
                (filter #(= :kill (:f %)))
                (map :signal)
                set)))))

(defn- holds
  "How long 20 faults of `family` last, in seconds; each is begun by a `start` and
  ended by a `stop`."
  [family start stop]
  (for [[[f from] [g to]]
        (->> (gen/limit 40 (:generator (nemesis/package [family] opts)))
             gen/nemesis
             (sim/perfect* (sim/n+nemesis-context 2))
             (filter #(= :info (:type %)))
             (map (juxt :f :time))
             (partition 2))]
    (do (is (= [start stop] [f g]))
        (/ (- to from) 1e9))))

(deftest holds-test
  (testing "partitions outlast the lease"
    (is (every? #(< 3 %) (holds "partition" :start-partition :stop-partition))))
  (testing "pauses end when the lease does, or well after"
    (let [secs (holds "pause" :pause :resume)]
      (is (every? #(<= 1 % 7) secs))
      (is (some #(< % 3.5) secs))
      (is (some #(< 5 %) secs)))))
