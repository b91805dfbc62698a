(ns interregnum.matrix-test
  (:require [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [clojure.xml :as xml]
            [interregnum.matrix :as matrix]
            [interregnum.matrix.junit :as junit]
            [interregnum.matrix.report :as report]
            [jepsen.history :as h])
  (:import (java.io File)))

(def ^:private space
  {:workloads ["ids" "schema"], :nemeses ["kill" "none"], :test-count 1})

(defn- names
  [cells]
  (mapv (juxt :workload :nemesis) cells))

(deftest cells-test
  (is (= [["ids" "kill"] ["ids" "none"] ["schema" "kill"] ["schema" "none"]]
         (names (matrix/cells space))))
  (testing "only and skip"
    (is (= [["ids" "kill"] ["ids" "none"]]
           (names (matrix/cells (assoc space :only ["ids"])))))
    (is (= [["schema" "none"]]
           (names (matrix/cells (assoc space :only ["/none"] :skip ["ids"])))))
    (is (= [["schema" "kill"]]
           (names (matrix/cells (assoc space :only ["schema/kill"]))))))
  (testing "repeats"
    (is (= [0 1 2]
           (map :repeat (matrix/cells (assoc space :test-count 3
                                             :only ["ids/kill"]))))))
  (testing "patterns that name nothing"
    (is (= ["nope" "ids/nope"]
           (matrix/unknown-patterns ["ids" "nope" "ids/nope" "/kill"]
                                    (matrix/cells space))))))

(def ^:private cell {:workload "ids", :nemesis "kill", :repeat 0})

(defn- run-cell
  [run-test]
  (let [clock (atom 0)]
    (matrix/run-cell! run-test #(swap! clock + 1500000000) cell)))

(deftest run-cell-test
  (testing "a finished test"
    (is (= (merge cell {:outcome :invalid, :reason "ids went backwards"
                        :counts {:ok 1, :fail 0, :info 0}
                        :path "store/x", :seconds 1.5})
           (run-cell (fn [_]
                       {:results {:valid? false
                                  :stats {:valid? true}
                                  :workload {:valid? false
                                             :reason "ids went backwards"}}
                        :history (h/history [{:process 0 :type :invoke :f :a}
                                             {:process 0 :type :ok :f :a}])
                        :store-path "store/x"})))))
  (testing "a crash is never taken for the target's fault, nor for success"
    (is (= [:crashed "IllegalStateException: no hosts"]
           ((juxt :outcome :reason)
            (run-cell (fn [_] (throw (IllegalStateException. "no hosts")))))))))

(defn- outcome
  [kind & [reason]]
  (assoc cell :outcome kind, :reason (or reason ""), :seconds 12.34
         :counts {:ok 10, :fail 2, :info 1}, :path (str "store/" (name kind))))

(deftest exit-code-test
  (is (= 0 (matrix/exit-code [(outcome :valid)])))
  (is (= 255 (matrix/exit-code [(outcome :valid) (outcome :crashed)])))
  (is (= 2 (matrix/exit-code [(outcome :crashed) (outcome :unknown)])))
  (is (= 1 (matrix/exit-code [(outcome :unknown) (outcome :crashed) (outcome :invalid)]))))

(deftest report-test
  (is (= ["workload  nemesis  run  verdict  ok  fail  info  seconds  reason"
          "ids       kill     1    valid    10  2     1     12"
          "ids       kill     1    invalid  10  2     1     12       went back"]
         (str/split-lines (report/table [(outcome :valid)
                                         (outcome :invalid "went back")]))))
  (is (= ["" "# Successful tests" "" "store/valid"
          "" "# Failed tests" "" "store/invalid"
          "" "1 successes" "0 unknown" "0 crashed" "1 failures"]
         (str/split-lines (report/summary [(outcome :valid) (outcome :invalid)])))))

(deftest junit-test
  (let [file (File/createTempFile "junit" ".xml")]
    (try
      (junit/write! file [(outcome :valid)
                          (outcome :invalid "5 < 7 & \"back\"")
                          (outcome :unknown "nobody resigned")
                          (outcome :crashed "no hosts")])
      (let [{:keys [tag attrs content]} (xml/parse file)]
        (is (= [:testsuite "4" "1" "2"]
               [tag (:tests attrs) (:failures attrs) (:errors attrs)]))
        (is (= [[nil nil nil]
                [:failure "invalid" "5 < 7 & \"back\""]
                [:error "unknown" "nobody resigned"]
                [:error "harness" "no hosts"]]
               (for [{[problem] :content} content]
                 [(:tag problem) (:type (:attrs problem)) (:message (:attrs problem))]))))
      (finally (.delete file)))))
