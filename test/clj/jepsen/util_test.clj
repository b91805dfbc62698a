(ns jepsen.util-test
  (:require [clojure.test :refer [deftest is testing]]
            [jepsen.util :as util])
  (:import (java.util.concurrent BrokenBarrierException CountDownLatch TimeUnit)))

(set! *warn-on-reflection* true)

(defn- thrown-type
  "The :type of the ex-info that `f` throws."
  [f]
  (try (f) nil
       (catch clojure.lang.ExceptionInfo e (:type (ex-data e)))))

(deftest timeout-test
  (is (= 3 (util/timeout 10000 :late 3)))
  (is (nil? (util/timeout 10000 :late nil)))
  (testing "what the body throws is thrown, unwrapped"
    (is (= :no (thrown-type #(util/timeout 10000 :late (throw (ex-info "" {:type :no})))))))
  (testing "the body is interrupted when time is up"
    (let [interrupted (CountDownLatch. 1)]
      (is (= :late (util/timeout 20 :late
                                 (try (Thread/sleep 60000)
                                      (catch InterruptedException _
                                        (.countDown interrupted))))))
      (is (.await interrupted 10 TimeUnit/SECONDS)))))

(deftest await-fn-test
  (let [calls (atom 0)]
    (is (= :done (util/await-fn (fn [] (if (< (swap! calls inc) 3)
                                         (throw (Exception. "not yet"))
                                         :done))
                                {:retry-interval 1, :log-interval 60000})))
    (is (= 3 @calls)))
  (is (= :timeout (thrown-type #(util/await-fn (fn [] (throw (Exception. "never")))
                                               {:retry-interval 1, :log-interval 60000
                                                :timeout 30})))))

(deftest retry-test
  (let [calls (atom 0)]
    (is (= 3 (util/retry 0.001 (when (< (swap! calls inc) 3) (throw (Error. "no"))) @calls))))
  (testing "with new bindings"
    (is (= [3 :x] (util/with-retry [i 0, y :x]
                    (if (< i 3) (throw (Exception.)) [i y])
                    (catch Exception _ (retry (inc i) y))))))
  (testing "what is not caught is thrown"
    (is (thrown? IllegalStateException
                 (util/with-retry [i 0]
                   (throw (IllegalStateException.))
                   (catch ArithmeticException _ (retry i)))))))

(deftest letr-test
  (is (= :early (util/letr [x 1, _ (when (= x 1) (return :early))] (throw (Exception.)))))
  (is (= 3 (util/letr [x 1, y (if (= x 2) (return :early) 2)] (+ x y)))))

(deftest real-pmap-test
  (is (= [1 2 3] (util/real-pmap inc [0 1 2])))
  (testing "every element has a thread of its own"
    (let [latch (CountDownLatch. 10)]
      (is (every? true? (util/real-pmap (fn [_]
                                          (.countDown latch)
                                          (.await latch 10 TimeUnit/SECONDS))
                                        (range 10))))))
  (testing "the most interesting exception is thrown"
    (is (= :cause (thrown-type #(util/real-pmap (fn [i]
                                                  (throw (if (= i 2)
                                                           (ex-info "" {:type :cause})
                                                           (BrokenBarrierException.))))
                                                (range 4)))))))

(deftest forgettable-test
  (let [x (util/forgettable 3)]
    (is (= 3 @x))
    (util/forget! x)
    (is (thrown? IllegalStateException @x))))

(deftest named-locks-test
  (let [locks (util/named-locks)]
    (is (identical? (util/get-named-lock! locks :a) (util/get-named-lock! locks :a)))
    (is (not (identical? (util/get-named-lock! locks :a) (util/get-named-lock! locks :b))))
    (is (= 3 (util/with-named-lock locks :a 3)))
    (is (not (.isLocked (util/get-named-lock! locks :a))))))

(deftest time-test
  (is (= 1.5e9 (util/secs->nanos 1.5)))
  (is (= 3/2 (util/nanos->ms 1500000)))
  (let [begin (util/linear-time-nanos)]
    (util/sleep 2.5)
    (is (<= 2500000 (- (util/linear-time-nanos) begin))))
  (util/with-relative-time
    (is (<= 0 (util/relative-time-nanos) 60000000000))))

(deftest misc-test
  (is (= "jepsen" (util/with-thread-name "jepsen" (.getName (Thread/currentThread)))))
  (is (= {:exit 3, :cmd ["sh" "-c" "exit 3"], :type :jepsen.util/nonzero-exit}
         (try (util/sh "sh" "-c" "exit 3")
              (catch clojure.lang.ExceptionInfo e (select-keys (ex-data e) [:exit :cmd :type])))))
  (is (= "{:a 1}" (util/pprint-str {:a 1})))
  (let [made (atom 0)
        a    (util/lazy-atom #(swap! made inc))]
    (is (= 0 @made))
    (is (= [2 2] [(swap! a inc) @a]))
    (is (= 1 @made)))
  (is (= [1 1 2] (mapv util/majority [0 1 2])))
  (is (= [0 0 0 1 1 2] (mapv util/minority [0 1 2 3 4 5])))
  (is (thrown? AssertionError (util/rand-distribution {:distribution :normal})))
  (is (thrown? AssertionError (util/rand-distribution {:min 3, :max 3}))))
