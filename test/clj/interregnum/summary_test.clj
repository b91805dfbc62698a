(ns interregnum.summary-test
  (:require [clojure.edn :as edn]
            [clojure.string :as str]
            [clojure.test :refer [are deftest is testing]]
            [interregnum.checker.ids :as ids]
            [interregnum.summary :as summary]))

(deftest repeat-command-test
  (are [command args] (= command (summary/repeat-command "test" args 7))
    "bin/interregnum test --seed 7"
    []
    "bin/interregnum test --nemesis kill,pause --seed 7"
    ["--nemesis" "kill,pause"]
    "bin/interregnum test --rate 5 --seed 7"
    ["--seed" "9" "--rate" "5"]
    "bin/interregnum test --seed 7"
    ["--test-count" "3" "--seed=9"]
    "bin/interregnum test --nodes 'a b' --workload 'it'\\''s' --seed 7"
    ["--nodes" "a b" "--workload" "it's"]))

(defn- tail-lines
  [results]
  (str/split-lines
    (summary/tail {:name "t" :start-time "20260101T000000.000+0000" :seed 7
                   :invariants ids/invariants :results results}
                  "test" [])))

(def ^:private seed-b
  (edn/read-string (slurp "test/resources/histories/invalid/ids/seed-b.edn")))

(deftest invalid-tail-test
  (testing "both operations are named, with nodes, ids, terms and times"
    (is (= ["Violated: ID-4 real-time order, 2 times"
            "  Process 0 at n1 got id 5 of table 0 although id 4002 had been acknowledged to process 1 at n2 before it asked."
            "  earlier: op 5, process 1 at n2, insert into table 0"
            "    ids 4002, from 0.004 s to 0.005 s, owner n2 (term 9)"
            "  later: op 7, process 0 at n1, insert into table 0"
            "    ids 5, from 0.006 s to 0.007 s, owner n1 (term 12)"]
           (take 6 (tail-lines {:valid? false :workload (:result seed-b)}))))
    (is (= ["Analysis invalid! (ﾉಥ益ಥ）ﾉ ┻━┻"
            "Store: store/t/20260101T000000.000+0000"
            "Repeat: bin/interregnum test --seed 7"]
           (take-last 3 (tail-lines {:valid? false :workload (:result seed-b)}))))))

(deftest failures-tail-test
  (testing "the first failure of each kind of an invariant is shown"
    (is (= ["Violated: S-1" "  a reason" "  lost (3): {:object 1}"]
           (take 3 (tail-lines
                     {:valid? false
                      :workload {:valid? false
                                 :violated [:S-1]
                                 :invariants {:S-1 {:reason "a reason"
                                                    :failures {:lost {:count 3
                                                                      :first [{:object 1}]}}}}}}))))))

(deftest other-tails-test
  (testing "an unknown verdict says why"
    (is (= ["coverage: No kill fault was injected."
            "Errors occurred during analysis, but no anomalies found. ಠ~ಠ"]
           (take 2 (tail-lines {:valid? :unknown
                                :workload {:valid? true}
                                :coverage {:valid? :unknown
                                           :reason "No kill fault was injected."}})))))
  (testing "a checker that broke says why"
    (is (= "workload: Divide by zero"
           (first (tail-lines {:valid? :unknown
                               :workload {:valid? :unknown
                                     :error {:cause "Divide by zero"}}})))))
  (testing "a valid run says what it did"
    (is (= ["3 operations: 2 ok, 1 failed, 0 in doubt"
            "2 acknowledged inserts kept every promise."
            "Everything looks good! ヽ(‘ー`)ノ"]
           (take 3 (tail-lines
                     {:valid? true
                      :stats {:valid? true :count 3 :ok-count 2 :fail-count 1 :info-count 0}
                      :workload {:valid? true
                            :reason "2 acknowledged inserts kept every promise."}}))))))
