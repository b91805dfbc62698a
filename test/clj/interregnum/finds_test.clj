(ns interregnum.finds-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.finds :as finds]
            [interregnum.nemesis :as nemesis]
            [interregnum.workload :as workload])
  (:import (interregnum.defect Defect Defects)))

(deftest runs-test
  (testing "every planted defect has a run, of names that exist"
    (is (= (set (map #(.id ^Defect %) (Defects/all))) (set (keys finds/runs))))
    (doseq [[_ {:keys [workload nemesis time-limit]}] finds/runs]
      (is (contains? workload/workloads workload))
      (is (every? nemesis/families (nemesis/parse nemesis)))
      (is (<= time-limit 120)))))

(def ^:private ids-results
  {:valid? false
   :workload {:valid? false
              :violated [:unique :gaps]
              :invariants
              {:unique {:valid? false
                        :first [{:earlier {:time [1 2000000000]}
                                 :later   {:time [5 7000000000]}}
                                {:earlier {:time [1 6000000000]}
                                 :later   {:time [5 nil]}}]}
               :gaps {:valid? false :first []}}}})

(def ^:private schema-results
  {:valid? false
   :workload {:valid? false
              :violated [:existence]
              :invariants
              {:existence {:failures {:lost {:first [{:found {:time 9000000000}
                                                      :though {:time 4}}]}}}
               :rows {:failures {:lost-row {:first [{:written {:time 1}}]}}}}}})

(deftest find-test
  (let [find-in #(finds/find-of "x" {:workload "ids"} % "bin/interregnum test")]
    (testing "the first moment at which a violated invariant was broken"
      (is (= [true [:unique :gaps] 6.0]
             ((juxt :found? :violated :secs) (find-in ids-results))))
      (is (= [true [:existence] 9.0]
             ((juxt :found? :violated :secs) (find-in schema-results))))
      (is (= [true [:rivals] nil]
             ((juxt :found? :violated :secs)
              (find-in {:valid?   false
                        :workload {:valid? true}
                        :rest     {:valid? false
                                   :violated [:rivals]
                                   :invariants {:rivals {:valid? false}}}})))))
    (testing "as a row"
      (is (= "| x | after 9 s | existence | `bin/interregnum test` |"
             (finds/row (find-in schema-results))))
      (is (= "| x | no | - | `bin/interregnum test` |"
             (finds/row (find-in {:valid? :unknown})))))))
