(ns interregnum.checker.schema.quiescence-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.checker.schema.quiescence :as quiescence]
            [jepsen.history :as h]))

(defn- completions
  [& rows]
  (h/history
    (mapcat (fn [process [f node type value error]]
              [{:process process, :type :invoke, :f f, :value nil}
               {:process process, :type type, :f f
                :value (assoc value :node node)
                :error (some-> error (assoc :node node))}])
            (range) rows)))

(defn- dump
  [node tables]
  [:dump node :ok {:asked [], :tables tables}])

(deftest convergence-test
  (let [tables {"s0" {:columns ["id" "v"], :rows [[1 1]]}}]
    (testing "all nodes alike"
      (is (= {:valid? true, :nodes ["n1" "n2"]}
             (quiescence/convergence-analysis
               ["n1" "n2"]
               (completions (dump "n1" tables) (dump "n2" tables))))))
    (testing "a node that lacks a table"
      (is (= {:valid? false
              :nodes ["n1" "n2"]
              :divergences [{:nodes ["n1" "n2"]
                             :only-first {"s0" {:columns ["id" "v"]}}
                             :only-second nil}]
              :reason "at the end the nodes [\"n1\" \"n2\"] have different tables"}
             (quiescence/convergence-analysis
               ["n1" "n2"]
               (completions (dump "n1" tables) (dump "n2" {}))))))
    (testing "a node that was not read"
      (is (= {:valid? :unknown, :nodes ["n1"]
              :reason "not read at the end: [\"n2\"]"}
             (quiescence/convergence-analysis
               ["n1" "n2"] (completions (dump "n1" tables))))))))

(deftest moving-test
  (testing "what changes while it is read cannot be judged"
    (is (= :unknown (:valid? (quiescence/moving
                               (completions [:drain "n1" :ok {:unfinished [7], :idle? false}]))))))
  (testing "a queue that is empty or stands still does not move"
    (is (nil? (quiescence/moving
                (completions [:drain "n1" :ok {:unfinished [7], :idle? false}]
                             [:drain "n1" :ok {:unfinished [], :idle? false}]))))
    (is (nil? (quiescence/moving
                (completions [:drain "n1" :ok {:unfinished [7], :idle? true}]))))
    (is (nil? (quiescence/moving (completions))))))

(deftest stuck-test
  (testing "every probe ends well"
    (is (= {:valid? true, :probe-count 1}
           (quiescence/stuck-analysis
             (completions [:probe "n1" :ok {:table "p0"}])))))
  (testing "one hangs"
    (is (= [false "a schema change on a fresh table did not end on n2" 1]
           ((juxt :valid? :reason (comp count :stuck))
            (quiescence/stuck-analysis
              (completions [:probe "n1" :ok {:table "p0"}]
                           [:probe "n2" :info {:table "p1"} {:type :timeout}]))))))
  (testing "a connection that was lost says nothing, if the next one serves"
    (is (true? (:valid? (quiescence/stuck-analysis
                          (completions [:probe "n1" :info {:table "p0"}
                                        {:type :connection-lost}]
                                       [:probe "n1" :ok {:table "p1"}]))))))
  (testing "a job is still there after all was quiet"
    (is (= [false "schema changes did not end: jobs [7]"]
           ((juxt :valid? :reason)
            (quiescence/stuck-analysis
              (completions [:drain "n1" :ok {:unfinished [7], :idle? true}]
                           [:probe "n1" :ok {:table "p0"}])))))
    (is (true? (:valid? (quiescence/stuck-analysis
                          (completions [:drain "n1" :ok {:unfinished [7], :idle? false}]
                                       [:probe "n1" :ok {:table "p0"}]))))
        "one that moves is not stuck")
    (is (true? (:valid? (quiescence/stuck-analysis
                          (completions [:drain "n1" :ok {:unfinished []}]
                                       [:probe "n1" :ok {:table "p0"}]))))))
  (testing "none reached a node"
    (is (= :unknown
           (:valid? (quiescence/stuck-analysis
                      (completions [:probe "n1" :fail {:table "p0"}
                                    {:type :no-connection}])))))))
