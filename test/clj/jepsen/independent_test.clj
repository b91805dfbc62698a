(ns jepsen.independent-test
  (:require [clojure.test :refer [deftest is testing]]
            [jepsen.checker :as checker]
            [jepsen.generator :as gen]
            [jepsen.generator.test :as sim]
            [jepsen.history :as h]
            [jepsen.independent :as independent]
            [jepsen.store :as store]
            [jepsen.temporary :as temporary]))

(def history
  "Two keys, with a nemesis in between."
  (h/history
    [{:process 0, :type :invoke, :f :w, :value (independent/tuple :a 1)}
     {:process :nemesis, :type :info, :f :kill}
     {:process 1, :type :invoke, :f :w, :value (independent/tuple :b 2)}
     {:process 0, :type :ok, :f :w, :value (independent/tuple :a 1)}
     {:process :nemesis, :type :info, :f :kill}
     {:process 1, :type :fail, :f :w, :value (independent/tuple :b 2)}]))

(deftest tuple-test
  (is (independent/tuple? (independent/tuple 1 2)))
  (is (= [1 2] (independent/tuple 1 2)))
  (is (not (independent/tuple? [1 2]))))

(deftest subhistories-test
  (is (= #{:a :b} (independent/history-keys history)))
  (let [{:keys [a b]} (independent/subhistories [:a :b] history)]
    (testing "they have the key's operations, with the values proper, and those without key"
      (is (= [[0 1] [1 nil] [3 1] [4 nil]] (map (juxt :index :value) a)))
      (is (= [[1 nil] [2 2] [4 nil] [5 2]] (map (juxt :index :value) b))))
    (testing "pairs stay pairs"
      (is (= (nth a 2) (h/completion a (nth a 0))))
      (is (= (nth b 2) (h/completion b (nth b 0)))))))

(deftest many-keys-test
  (testing "taking a large history apart does not cost its length for every key"
    (let [n       100000
          history (h/history (for [i (range n)]
                               {:process (quot i 2), :type (if (even? i) :invoke :ok)
                                :value (independent/tuple (quot i 10) i)}))
          begin   (System/nanoTime)
          parts   (independent/subhistories (independent/history-keys history) history)]
      (is (= (/ n 10) (count parts)))
      (is (every? #(= 10 (count %)) (vals parts)))
      (is (< (- (System/nanoTime) begin) 2e10)))))

(deftest checker-test
  (temporary/with-dir [dir]
    (with-redefs [store/base-dir (str dir)]
      (let [test    {:name "t", :start-time "t0"}
            results (checker/check (independent/checker (checker/stats)) test history {})]
        (is (= {:valid? false, :failures [:b]} (select-keys results [:valid? :failures])))
        (is (= [:a :b] (keys (:results results))))
        (testing "the results and history of every key are in its directory"
          (is (= 4 (count (re-seq #"\n" (slurp (store/path test "independent" ":b"
                                                          "history.edn"))))))
          (is (re-find #":valid\? false" (slurp (store/path test "independent" ":b"
                                                           "results.edn")))))))))

(deftest events-without-tuples-test
  (testing "operations within a key whose value is no tuple do no harm"
    (let [ops (sim/quick-ops (independent/concurrent-generator
                               1 [:a :b]
                               (fn [k] [(gen/log k) {:f :r, :value 1} {:type :info, :f :note}])))]
      (is (= 12 (count ops)))
      (is (= #{[:a 1] [:b 1]} (set (keep #(when (= :r (:f %)) (:value %)) ops)))))))
