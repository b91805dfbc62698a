(ns knossos.search-test
  "The analyses under Knossos' names, against golden vectors."
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io]
            [clojure.test :refer [deftest is testing]]
            [knossos.competition :as competition]
            [knossos.core :as core]
            [knossos.history :as history]
            [knossos.linear :as linear]
            [knossos.model :as model]
            [knossos.search :as search]
            [knossos.wgl :as wgl]))

(defn- named-model
  "The model that the code of a golden vector stands for."
  [code]
  (let [form (edn/read-string code)
        value #(if (symbol? %)
                 @(ns-resolve 'knossos.model (symbol (name %)))
                 %)]
    (if (list? form)
      (apply (value (first form)) (rest form))
      (value form))))

(deftest golden-verdicts-test
  (doseq [{:keys [id model history valid?]}
          (edn/read-string (slurp (io/resource "vectors/linearizability.edn")))]
    (is (= valid? (:valid? (core/analysis (named-model model) history))) (str id))))

(def ^:private stale
  [{:process 0, :type :invoke, :f :write, :value 1, :index 0}
   {:process 0, :type :ok, :f :write, :value 1, :index 1}
   {:process 1, :type :invoke, :f :read, :value nil, :index 2}
   {:process 1, :type :ok, :f :read, :value 0, :index 3}])

(deftest invalid-analysis-test
  (let [{:keys [valid? op previous-ok last-op final-paths configs analyzer] :as result}
        (linear/analysis (model/register 0) stale)]
    (is (false? valid?))
    (is (= :linear analyzer))
    (is (= (nth stale 3) op))
    (is (= (nth stale 1) previous-ok last-op))
    (is (= [{:model (model/register 1), :last-op previous-ok, :pending []}] configs))
    (is (= #{[{:op previous-ok, :model (model/register 1)}
              {:op op, :model (model/inconsistent "1≠0")}]}
           final-paths))
    (is (some? (search/failure result)))))

(deftest valid-analysis-test
  (let [history (vec (take 2 stale))]
    (is (= {:valid? true, :model (model/register 1), :analyzer :wgl}
           (wgl/analysis (model/register 0) history)))
    (is (= {:valid? true, :configs [{:model (model/register 1)}]}
           (competition/analysis (model/register 0) history)))))

(defrecord Limited [n]
  model/Model
  (step [_ op]
    (if (= n (count (:value op)))
      (model/inconsistent "full")
      (Limited. (inc n)))))

(deftest own-model-test
  (testing "a model of the caller's own is stepped with whole operations"
    (let [history [{:process 0, :type :invoke, :f :put, :value []}
                   {:process 0, :type :ok, :f :put, :value [1 2 3]}]]
      (is (true? (:valid? (competition/analysis (->Limited 0) history))))
      (is (false? (:valid? (competition/analysis (->Limited 3) history)))))))

(deftest time-limit-test
  (let [slow (reify model/Model
               (step [this _op] (Thread/sleep 100) this))
        history (vec (mapcat (fn [i] [{:process i, :type :invoke, :f :w, :value i}
                                      {:process i, :type :ok, :f :w, :value i}])
                             (range 50)))
        result (competition/analysis slow history {:time-limit 300})]
    (is (= :unknown (:valid? result)))
    (is (= :timeout (:cause result)))
    (is (re-find #"time limit" (:error result)))))

(deftest history-test
  (testing "completions fill invocations, failures are marked and left out"
    (let [ops [{:process 0, :type :invoke, :f :read, :value nil}
               {:process 1, :type :invoke, :f :write, :value 2}
               {:process 1, :type :fail, :f :write, :value 2}
               {:process 0, :type :ok, :f :read, :value 3}
               {:process 2, :type :invoke, :f :read, :value nil}]]
      (is (= [3 2 2 3 nil] (map :value (history/complete ops))))
      (is (= [nil true true nil nil] (map :fails? (history/complete ops))))
      (is (= [0 3 4] (map :index (history/preprocess ops))))
      (is (= [(ops 4)] (history/unmatched-invokes ops) (history/crashed-invokes ops)))
      (is (= [0 1 2] (history/sort-processes (history/processes ops)))))))
