(ns interregnum.nemesis-test
  (:require [clojure.test :refer [are deftest is testing]]
            [interregnum.nemesis :as nemesis]
            [interregnum.nemesis.phases :as phases]
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
      (is (= asked (disj (jepsen-nemesis/fs nemesis) :owners :await-rest)))
      (is (every? asked (mapcat :injects families)))))
  (testing "failpoints are disarmed when all nodes answer again"
    (is (= :end-phase (:f (last (:final-generator
                                  (nemesis/package (nemesis/parse "all") opts)))))))
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

(deftest phases-test
  (let [phases (fn [role]
                 (->> (nemesis/package ["phase"] (assoc opts :role role))
                      :generator
                      (gen/limit 400)
                      gen/nemesis
                      (sim/perfect* (sim/n+nemesis-context 2))
                      (filter #(and (= :info (:type %)) (= :phase (:f %))))
                      (map :value)))]
    (doseq [[role decks] phases/by-role
            :let [chosen    (phases role)
                  catalogue (mapcat val decks)]]
      (testing "every phase comes, each with acts of its own"
        (is (= (set (map (juxt :at :point :term) catalogue))
               (set (map (juxt :at :point :term) chosen))))
        (is (every? (fn [{:keys [at point term act]}]
                      (some #(and (= [at point term] [(:at %) (:point %) (:term %)])
                                  (some #{act} (:acts %)))
                            catalogue))
                    chosen)))
      (testing "the telling ones come every other time, none twice in a round"
        (let [n (count (:telling decks))]
          (is (= (set (map (juxt :point :term) (:telling decks)))
                 (set (map (juxt :point :term)
                           (take n (take-nth 2 (drop (* 2 n) chosen)))))))))
      (testing "a successor has to come into office somehow"
        (is (every? #(= (= :successor (:at %)) (contains? % :cause)) chosen)))
      (testing "the first is one that is always reached"
        (is (= [:owner :delete-key] ((juxt :at :act) (first chosen))))))
    (testing "a job that is held waits under the next owner too"
      (is (= {:point "beforeRunJob" :term "pause:job=7"}
             (phases/slow-successor "node=n1,job=7,table=s4")))
      (is (nil? (phases/slow-successor "node=n1"))))
    (testing "elections of both roles have the same failpoints"
      (is (= "1*pause:role=ddl" (phases/term-for :ddl "insideOnBecome" phases/hold)))
      (is (= "1*pause" (phases/term-for :ddl "beforeRunJob" phases/hold))))))

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
