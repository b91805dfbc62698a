(ns jepsen.print-test
  (:require [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [jepsen.generator :as gen]
            [jepsen.independent :as independent]
            [jepsen.print :as print]))

(deftest test->str-test
  (testing "infinite generators are cut, wherever the infinite part is"
    (is (str/includes? (print/test->str {:generator (map (fn [i] {:f i}) (range))})
                       "{:f 7} ..."))
    (is (str/includes? (print/test->str
                         {:generator (independent/concurrent-generator
                                       1 (range) (fn [_k] {:f :read}))})
                       "(0 1 2 3 4 5 6 7 ...)")))
  (testing "a generator that is not made yet stays so"
    (is (str/includes? (print/test->str {:generator (delay (gen/once {:f :a}))})
                       "unrealized"))))
