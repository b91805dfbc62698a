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

(deftest random-test
  (testing "the same seed, family and step give the same numbers"
    (let [numbers #(let [r (paced/random 7 % 3)]
                     [(paced/between r 1 2) (paced/pick r [:a :b :c])])]
      (is (= (numbers :kill) (numbers :kill)))
      (is (not= (numbers :kill) (numbers :pause))))))
