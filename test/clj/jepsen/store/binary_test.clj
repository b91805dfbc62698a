(ns jepsen.store.binary-test
  (:require [clojure.test :refer [deftest is testing]]
            [clojure.test.check :as tc]
            [clojure.test.check.generators :as tcg]
            [clojure.test.check.properties :as prop]
            [jepsen.store.binary :as binary])
  (:import (clojure.lang MapEntry PersistentList)))

(defn- round-trip
  "What is read after writing `x`."
  [x]
  (let [w (binary/writer)]
    (binary/write! w x)
    (binary/read! (binary/reader (.contents w)))))

(deftest values-survive-test
  (doseq [x [nil true false 0 -1 63 64 127 128 Long/MAX_VALUE Long/MIN_VALUE
             1.5 -0.0 ##Inf "" "a" (apply str (repeat 300 "ü")) :a :a/b 'x 'x/y \c
             [] [1 [2 :a :a]] '(1 2) (range 3) {} {:a {:b 1}} #{} #{1 "a"} ()
             1/3 10N 123456789012345678901234567890N 1.5M
             #uuid "00000000-0000-0001-0000-000000000002" #inst "2026-01-02T03:04:05.678Z"
             (zipmap (range 100) (range 100)) (tagged-literal 'x [1])]]
    (is (= x (round-trip x)) (str "a " (class x))))
  (testing "a map entry, which is what a tuple is, stays one"
    (is (instance? MapEntry (round-trip (MapEntry/create :k [1])))))
  (testing "a list stays a list"
    (is (instance? PersistentList (round-trip '(1 2)))))
  (testing "not a number stays so"
    (is (NaN? (round-trip ##NaN)))))

(defrecord Point [x y])

(deftest other-values-become-data-test
  (testing "records become maps"
    (is (= {:x 1, :y 2} (round-trip (->Point 1 2)))))
  (testing "exceptions become their data"
    (let [data (round-trip (ex-info "no luck" {:type :luck} (Exception. "cause")))]
      (is (= "cause" (:cause data)))
      (is (= [{:type 'clojure.lang.ExceptionInfo, :message "no luck", :data {:type :luck}}
              {:type 'java.lang.Exception, :message "cause"}]
             (mapv #(dissoc % :at) (:via data))))))
  (testing "arrays and Java's collections become Clojure's"
    (is (= [1 2] (round-trip (long-array [1 2]))))
    (is (= [1 2] (round-trip (java.util.ArrayList. [1 2]))))
    (is (= {1 2} (round-trip (java.util.HashMap. {1 2}))))
    (is (= [1 2] (vec (round-trip (byte-array [1 2]))))))
  (testing "smaller numbers become longs and doubles"
    (is (= [1 2 1.5] (round-trip [(int 1) (short 2) (float 1.5)]))))
  (testing "anything else is described"
    (is (= (tagged-literal 'object ["java.lang.Thread$State" "NEW"])
           (round-trip Thread$State/NEW)))))

(deftest any-value-survives-test
  (let [seed   (or (Long/getLong "test.seed") (System/nanoTime))
        result (tc/quick-check 500
                               (prop/for-all [x tcg/any-equatable]
                                 (= x (round-trip x)))
                               :seed seed :max-size 40)]
    (is (:pass? result) (str "seed " seed ": " (pr-str (:shrunk result))))))

(deftest unknown-tag-test
  (is (thrown-with-msg? clojure.lang.ExceptionInfo #"no value begins with the byte 99"
                        (binary/read! (binary/reader (byte-array [99]))))))
