(ns jepsen.random-test
  (:require [clojure.test :refer [deftest is testing]]
            [jepsen.generator :as gen]
            [jepsen.generator.test :as sim]
            [jepsen.random :as rand]))

(set! *warn-on-reflection* true)

(defn- draws
  "Some of everything that can be drawn."
  []
  [(rand/long) (rand/long 10) (rand/long 5 8) (rand/double) (rand/double 2 3) (rand/bool)
   (rand/bool 0.1) (rand/exp 5) (rand/geometric 0.1) (rand/zipf 100) (rand/nth [1 2 3])
   (rand/shuffle (range 20)) (rand/nonempty-subset (range 20)) (rand/weighted {:a 1, :b 2})
   (rand/branch 1 2 3) (rand/weighted-branch 1 :x 2 :y)])

(deftest seed-test
  (testing "one seed repeats everything"
    (is (= (rand/with-seed 7 (draws)) (rand/with-seed 7 (draws))))
    (is (not= (rand/with-seed 7 (draws)) (rand/with-seed 8 (draws)))))
  (testing "also the choices of generators"
    (let [run (fn [seed]
                (with-redefs [sim/rand-seed seed]
                  (sim/perfect (rand/with-seed seed ; a mix chooses already when it is made
                                 (gen/limit 100 (gen/stagger 1 (gen/mix [(gen/repeat {:f :a})
                                                                         (gen/repeat {:f :b})])))))))]
      (is (= (run 1) (run 1)))
      (is (not= (run 1) (run 2)))))
  (testing "the source before is restored"
    (let [before (rand/rng)]
      (rand/with-seed 1 (rand/long))
      (is (identical? before (rand/rng))))))

(deftest edge-cases-test
  (is (thrown? IndexOutOfBoundsException (rand/nth [])))
  (is (nil? (rand/nth-empty #{})))
  (is (nil? (rand/nonempty-subset [])))
  (is (= 0 (rand/geometric 1)))
  (is (= 0 (rand/zipf 1)))
  (is (thrown? AssertionError (rand/zipf 1 10)))
  (is (thrown? AssertionError (rand/geometric 0)))
  (testing "collections keep their type"
    (is (vector? (rand/shuffle [1 2])))
    (is (list? (rand/shuffle '(1 2))))
    (is (set? (rand/shuffle #{1 2}))))
  (testing "an element of a set"
    (is (contains? #{1 2} (rand/nth #{1 2})))))

(deftest zipf-distribution-test
  (testing "frequencies follow (k + 1)^-skew"
    (let [n 40000, skew 2.0
          seen   (rand/with-seed 3 (frequencies (repeatedly n #(rand/zipf skew 4))))
          weight (fn [k] (Math/pow (inc k) (- skew)))
          total  (reduce + (map weight (range 4)))]
      (doseq [k (range 4)]
        (is (< (Math/abs (- (/ (weight k) total) (/ (double (get seen k 0)) n))) 0.01)
            (str "value " k))))))
