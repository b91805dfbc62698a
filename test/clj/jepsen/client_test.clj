(ns jepsen.client-test
  (:require [clojure.test :refer [deftest is testing]]
            [jepsen.client :as client]
            [jepsen.codec :as codec]
            [jepsen.history :as history]
            [jepsen.txn.micro-op :as mop]))

(defn- client
  "A client whose open! and invoke! are the given functions."
  [open invoke]
  (reify client/Client
    (open! [this _ _] (open this))
    (setup! [_ _])
    (invoke! [_ _ op] (invoke op))
    (teardown! [_ _])
    (close! [_ _])))

(def op
  (history/op {:index 0, :type :invoke, :process 0, :f :w, :value 1}))

(defn- thrown-data
  [f]
  (try (f) nil
       (catch clojure.lang.ExceptionInfo e (ex-data e))))

(deftest validate-test
  (let [problems (fn [completion]
                   (:problems (thrown-data #(client/invoke!
                                              (client/validate (client identity completion))
                                              {} op))))]
    (is (nil? (problems (fn [op] (assoc op :type :ok)))))
    (is (= "should be a map" (first (problems (fn [_] :ok)))))
    (is (= [":type should be :ok, :info, or :fail"] (problems identity)))
    (is (= [":process should be the same" ":f should be the same"]
           (problems (fn [op] (assoc op :type :ok, :process 1, :f :r))))))
  (is (= :jepsen.client/open-returned-non-client
         (:type (thrown-data #(client/open! (client/validate (client (fn [_] nil) identity))
                                            {} "n1"))))))

(deftest timeout-test
  (let [slow (client identity (fn [op] (Thread/sleep 60000) op))
        fast (client identity (fn [op] (assoc op :type :ok)))]
    (is (= (assoc op :type :info, :error :jepsen.client/timeout)
           (client/invoke! (client/timeout 20 slow) {} op)))
    (is (= :ok (:type (client/invoke! (client/timeout (fn [_] 10000) fast) {} op))))))

(deftest reusable-test
  (is (client/is-reusable? client/noop {}))
  (is (client/is-reusable? (client/validate client/noop) {}))
  (is (not (client/is-reusable? (client identity identity) {})))
  (is (not (client/is-reusable? (client/validate (client identity identity)) {})))
  (is (not (client/is-reusable? nil {}))))

(deftest codec-test
  (doseq [x [nil 1 "ü" {:a [1 nil]} #{:x}]]
    (is (= x (codec/decode (codec/encode x)))))
  (testing "nil is no bytes"
    (is (zero? (alength (codec/encode nil))))
    (is (nil? (codec/decode nil)))))

(deftest micro-op-test
  (is (mop/read? [:r 1 nil]))
  (is (mop/write? [:w 1 2]))
  (is (= [:w 1 2] ((juxt mop/f mop/key mop/value) [:w 1 2])))
  (is (mop/op? [:r 1 nil]))
  (is (not (mop/op? [:r 1])))
  (is (not (mop/op? {:f :r}))))
