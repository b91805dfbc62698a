(ns interregnum.workload.ids-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.workload.ids :as ids]
            [jepsen.generator :as gen]
            [jepsen.generator.test :as sim]))

(def ^:private opts
  {:nodes ["n1" "n2" "n3"] :concurrency 12 :rate 100 :tables 2 :seed 7
   :id-step 4000})

(def ^:private context (sim/n+nemesis-context 12))

(defn- ops
  "The invocations that `gen` makes when every operation succeeds at once."
  [gen]
  (filter #(= :invoke (:type %)) (sim/quick-ops context (gen/clients gen))))

(defn- tags
  [{:keys [f value]}]
  (when (#{:insert :insert-explicit} f)
    (range (:tag value) (+ (:tag value) (:rows value 1)))))

(defn- counting
  "Answers inserts with ids that grow."
  [_ {:keys [f time value] :as op}]
  (cond-> (assoc op :type :ok :time (+ 1000 time))
    (= :insert f) (assoc-in [:value :ids]
                            (vec (range time (+ time (:rows value)))))))

(deftest operations-test
  (testing "the choice follows from the seed"
    (let [values #(map (juxt :f :value)
                       (ops (gen/limit 50 (ids/operations (assoc opts :seed %) 0))))]
      (is (= (values 7) (values 7)))
      (is (not= (values 7) (values 8)))))
  (testing "every kind occurs, on every table"
    (let [all (filter #(= :invoke (:type %))
                      (sim/simulate context
                                    (gen/clients (gen/limit 500 (ids/operations opts 0)))
                                    counting))]
      (is (= #{:insert :insert-explicit :next-id :delete :force} (set (map :f all))))
      (is (= #{0 1} (set (map (comp :table :value) all))))
      (is (= #{1 2 3 4 5} (set (keep (comp :rows :value) all)))))))

(deftest tags-test
  (testing "no two rows of a run have a tag in common"
    (let [all (mapcat tags (concat (ops (gen/limit 500 (ids/generator opts)))
                                   (ops (ids/final-generator opts))))]
      (is (seq all))
      (is (apply distinct? all)))))

(deftest explicit-ids-test
  (testing "lie above the ids that were seen"
    (let [answer (fn [_ op]
                   (cond-> (assoc op :type :ok)
                     (= :insert (:f op)) (assoc-in [:value :ids] [1000])))
          all    (sim/simulate context
                               (gen/clients (gen/limit 300 (ids/operations opts 0)))
                               answer)
          seen   (filter #(= :invoke (:type %)) (drop 100 all))]
      (is (every? #(< 1000 (:id (:value %)))
                  (filter #(= :insert-explicit (:f %)) seen))))))

(deftest forces-test
  (let [forces (fn [type]
                 (->> (sim/simulate context
                                    (gen/clients (gen/limit 2000 (ids/operations opts 0)))
                                    (fn [ctx op]
                                      (cond-> (counting ctx op)
                                        (= :force (:f op)) (assoc :type type))))
                      (filter #(and (= :invoke (:type %)) (= :force (:f %))))
                      (group-by (comp :table :value))))]
    (testing "each exceeds the one before by far"
      (doseq [[_ ops] (forces :ok)
              [a b] (partition 2 1 (map (comp :base :value) ops))]
        (is (< (+ a 40000) b))))
    (testing "none follows one in doubt whose effect was not seen"
      (let [base 100000000000
            stuck (sim/simulate context
                                (gen/clients
                                  (gen/limit 2000
                                             (assoc-in (ids/operations opts 0)
                                                       [:forced 0] base)))
                                counting)]
        (is (empty? (filter #(and (= :force (:f %)) (= 0 (:table (:value %)))) stuck)))))
    (testing "one that failed may be tried again"
      (is (every? #(< 1 (count %)) (vals (forces :fail)))))))

(deftest final-generator-test
  (testing "one insert and one read per table and node"
    (is (= {:insert 6 :read 6}
           (frequencies (map :f (ops (ids/final-generator opts)))))))
  (testing "an insert in doubt is tried again with another tag"
    (let [outcomes (atom (cycle [:info :ok]))
          all (sim/simulate context
                            (gen/clients (ids/final-generator
                                           (assoc opts :nodes ["n1"] :tables 1)))
                            (fn [_ op]
                              (assoc op :type (if (= :insert (:f op))
                                                (first (swap! outcomes rest))
                                                :ok))))]
      (is (apply distinct? (mapcat tags (filter #(= :invoke (:type %)) all)))))))
