(ns interregnum.checker.rest-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.checker.rest :as rest]))

(def ^:private settled
  {:answers {"n1" true, "n2" true}
   :claims  {:autoid ["n1"], :ddl ["n2"]}
   :reigns  {:autoid {:id "n1", :term 5}, :ddl {:id "n2", :term 7}}})

(defn- judge
  "The result for a history with `looks` at the nodes."
  [& looks]
  (rest/analysis
    (mapcat (fn [look] [{:process :nemesis, :type :info, :f :await-rest}
                        {:process :nemesis, :type :info, :f :await-rest, :value look}])
            looks)))

(deftest rest-test
  (testing "one owner for each role"
    (is (= {:valid? true, :claims (:claims settled)} (judge settled))))
  (testing "two that went on claiming one"
    (is (= {:valid? false
            :claims {:autoid ["n1" "n3"], :ddl ["n2"]}
            :violated [:rivals]
            :reason (str "S-16: once all is quiet, each role has one owner: after the last"
                         " fault n1 and n3 went on claiming to own autoid")
            :invariants {:rivals {:valid? false
                                  :reason (str "after the last fault n1 and n3 went on"
                                               " claiming to own autoid")}}}
           (judge (-> settled
                      (assoc :reigns nil)
                      (assoc-in [:claims :autoid] ["n1" "n3"]))))))
  (testing "the last look counts"
    (is (true? (:valid? (judge (assoc settled :reigns nil) settled)))))
  (testing "no verdict without rest"
    (is (= [:unknown "After the last fault the nodes did not agree on live owners."]
           ((juxt :valid? :reason) (judge (assoc settled :reigns nil)))))
    (is (= [:unknown "The nodes were not looked at in the end."]
           ((juxt :valid? :reason) (judge))))))
