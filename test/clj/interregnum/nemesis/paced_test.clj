(ns interregnum.nemesis.paced-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.nemesis.paced :as paced]
            [jepsen.generator :as gen]
            [jepsen.generator.test :as sim]))

(def ^:private on-off
  #(nth [{:after 1 :op {:type :info :f :on}}
         {:after 2 :op {:type :info :f :off}}]
        (mod % 2)))

(defn- first-steps
  "The first `n` steps of `step`."
  [n step]
  #(when (< % n) (step %)))

(defn- timeline
  "[time f] of what `gen` emits on the nemesis when every op takes `nanos`."
  [nanos gen]
  (->> (sim/simulate (sim/n+nemesis-context 1)
                     (gen/nemesis gen)
                     (fn [_ op] (assoc op :type :ok :time (+ nanos (:time op)))))
       (filter #(= :info (:type %)))
       (mapv (juxt :time :f))))

(deftest pauses-test
  (testing "count from the completion of the step before"
    (is (= [[1000000000 :on] [3000000010 :off] [4000000020 :on]]
           (timeline 10 (gen/limit 3 (paced/paced on-off)))))
    (is (= [[1000000000 :on] [8000000000 :off]]
           (timeline 5000000000 (gen/limit 2 (paced/paced on-off))))))
  (testing "end with the steps"
    (is (= [[1000000000 :on] [3000000010 :off]]
           (timeline 10 (paced/paced (first-steps 2 on-off))))))
  (testing "of two families do not add up"
    (is (= [[1000000000 :on] [1500000000 :blip] [3000000010 :off]]
           (timeline 10 (gen/any (paced/paced (first-steps 2 on-off))
                                 (paced/paced
                                   (first-steps
                                     1 (constantly {:after 3/2
                                                    :op {:type :info
                                                         :f :blip}})))))))))

(deftest fair-test
  (let [every (fn [secs f]
                (paced/paced (constantly {:after secs :op {:type :info :f f}})))]
    (testing "takes turns when operations last longer than the pauses"
      (is (= [:a :b :c :a :b :c]
             (map second
                  (timeline 9000000000
                            (gen/limit 6 (paced/fair [(every 3 :c)
                                                      (every 2 :b)
                                                      (every 1 :a)])))))))
    (testing "a family that never went goes before those that did"
      (is (= [:a :b :c :a]
             (map second
                  (timeline 9000000000
                            (gen/limit 4 (paced/fair [(every 1 :a)
                                                      (every 2 :b)
                                                      (every 15 :c)])))))))
    (testing "keeps each family's pauses"
      (is (= [[1000000000 :a] [1500000000 :b] [2000000010 :a]]
             (timeline 10 (gen/limit 3 (paced/fair [(every 1 :a) (every 3/2 :b)]))))))
    (testing "ends when all have ended"
      (is (= [:on :off]
             (map second (timeline 10 (paced/fair [(paced/paced (first-steps 2 on-off))]))))))
    (testing "of nothing is nothing"
      (is (nil? (paced/fair []))))))

(deftest random-test
  (testing "the same seed, family and step give the same numbers"
    (let [numbers #(let [r (paced/random 7 % 3)]
                     [(paced/between r 1 2) (paced/pick r [:a :b :c])])]
      (is (= (numbers :kill) (numbers :kill)))
      (is (not= (numbers :kill) (numbers :pause))))))
