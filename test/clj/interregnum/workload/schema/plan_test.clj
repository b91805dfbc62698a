(ns interregnum.workload.schema.plan-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.workload.schema.plan :as plan]
            [jepsen.generator :as gen]
            [jepsen.generator.context :as context]
            [jepsen.generator.test :as sim]
            [jepsen.random :as rand]))

(def ^:private op-count 3000)

(defn- ops
  "Invocations of a simulated run whose operations end as `outcome` says."
  [seed outcome]
  (rand/with-seed seed
    (->> (sim/simulate (context/context {:concurrency 6})
                       (gen/clients (gen/limit op-count (plan/plan)))
                       (fn [_ctx op]
                         (-> op (update :time + 10) (assoc :type (outcome op)))))
         (filterv #(= :invoke (:type %))))))

(defn- seed
  []
  (let [seed (if-let [given (System/getProperty "interregnum.seed")]
               (parse-long given)
               (System/nanoTime))]
    (println "plan-test seed" seed "(repeat with -Dinterregnum.seed=)")
    seed))

(deftest variety-test
  (let [ops (ops (seed) (constantly :ok))]
    (testing "every kind of operation comes up"
      (is (= #{:create :drop :rename :truncate :add-column :drop-column :add-index
               :drop-index :insert :update :delete :txn :select :select-column
               :check :inside :cancel}
             (set (map :f ops)))))
    (testing "names are used once"
      (let [made (keep (fn [{:keys [f value]}]
                         (case f :create (:table value) :rename (:to value) nil))
                       ops)]
        (is (apply distinct? made))))
    (testing "values are written once"
      (is (apply distinct?
                 (mapcat (fn [{:keys [f value]}]
                           (case f
                             (:insert :update) [(:v value)]
                             :txn (map second (:rows value))
                             nil))
                         ops))))))

(deftest knowledge-test
  (testing "nothing but creation is tried while no creation succeeds"
    (is (= #{:create :inside :cancel} (set (map :f (ops (seed) (constantly :fail))))))))
