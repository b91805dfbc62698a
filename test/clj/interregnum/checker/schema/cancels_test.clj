(ns interregnum.checker.schema.cancels-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.checker.schema.cancels :as cancels]
            [jepsen.history :as h]))

(defn- result
  "The result for cancellations that succeeded with these values."
  [& values]
  (cancels/analysis
    (h/history (mapcat (fn [value]
                         [{:process 0 :type :invoke :f :cancel :value nil}
                          {:process 0 :type :ok :f :cancel
                           :value (assoc value :node "n1")}])
                       values))))

(deftest cancels-test
  (testing "cancelled, refused, or nothing there to cancel"
    (is (= {:valid? true :cancelled-count 2}
           (result {:job 4 :table "s1" :result "successful" :state "cancelled"}
                   {:job 5 :table "s1" :result "successful" :state nil}
                   {:job 6 :table "s2" :result "error: [8225] too late" :state nil}
                   {:job nil}))))
  (testing "carried out all the same"
    (let [{:keys [valid? reason ignored]}
          (result {:job 4 :table "s1" :result "successful" :state "synced"})]
      (is (false? valid?))
      (is (= 1 (count ignored)))
      (is (= "job 4 on table s1 was carried out though its cancellation was acknowledged"
             reason)))))
