(ns interregnum.checker.schema.existence-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.checker.schema.existence :as existence]
            [jepsen.history :as h]))

(defn- history
  "A history of rows [process type f value & {extra}], one per 10 ns."
  [& rows]
  (h/history
    (map-indexed (fn [i [process type f value extra]]
                   (let [node (str "n" (inc (mod process 3)))]
                     {:process process, :type type, :f f, :time (* 10 i)
                      :value (if (= :ok type) (assoc value :node node) value)
                      :error (some-> extra (assoc :node node))}))
                 rows)))

(defn- no-such-table
  [& [table]]
  {:type :no-such-table :message (str "Table 'test." table "' doesn't exist")})

(defn- kinds
  [& rows]
  (let [{:keys [valid? failures]} (existence/analysis #{} (apply history rows))]
    [valid? (update-vals failures :count)]))

(def ^:private s0 {:table "s0"})

(deftest lost-test
  (testing "an acknowledged table must be found by whoever asks later"
    (is (= [false {:lost 1}]
           (kinds [0 :invoke :create s0] [0 :ok :create s0]
                  [1 :invoke :select s0] [1 :fail :select s0 (no-such-table)]))))
  (testing "a question asked before the acknowledgement may miss it"
    (is (= [true {}]
           (kinds [0 :invoke :create s0] [1 :invoke :select s0]
                  [0 :ok :create s0] [1 :fail :select s0 (no-such-table)]))))
  (testing "a drop under way excuses"
    (is (= [true {}]
           (kinds [0 :invoke :create s0] [0 :ok :create s0]
                  [2 :invoke :drop s0]
                  [1 :invoke :select s0] [1 :fail :select s0 (no-such-table)]
                  [2 :ok :drop s0]))))
  (testing "a drop in doubt excuses for ever"
    (is (= [true {}]
           (kinds [0 :invoke :create s0] [0 :ok :create s0]
                  [2 :invoke :drop s0] [2 :info :drop s0]
                  [1 :invoke :select s0] [1 :fail :select s0 (no-such-table)]))))
  (testing "a drop that was refused does not excuse"
    (is (= [false {:lost 1}]
           (kinds [0 :invoke :create s0] [0 :ok :create s0]
                  [2 :invoke :drop s0]
                  [2 :fail :drop s0 {:type :write-conflict}]
                  [1 :invoke :select s0] [1 :fail :select s0 (no-such-table)]))))
  (testing "a dump that lacks the table counts as a question"
    (is (= [false {:lost 1}]
           (kinds [0 :invoke :create s0] [0 :ok :create s0]
                  [1 :invoke :dump nil]
                  [1 :ok :dump {:asked ["s0"] :tables {}}])))))

(deftest resurrected-test
  (testing "a dropped table must not be found"
    (is (= [false {:resurrected 1}]
           (kinds [0 :invoke :create s0] [0 :ok :create s0]
                  [0 :invoke :drop s0] [0 :ok :drop s0]
                  [1 :invoke :select s0] [1 :ok :select s0]))))
  (testing "nor under its old name once renamed"
    (is (= [false {:resurrected 1}]
           (kinds [0 :invoke :create s0] [0 :ok :create s0]
                  [0 :invoke :rename {:table "s0" :to "s1"}]
                  [0 :ok :rename {:table "s0" :to "s1"}]
                  [1 :invoke :insert {:table "s1"}] [1 :ok :insert {:table "s1"}]
                  [1 :invoke :insert s0] [1 :ok :insert s0])))))

(deftest phantom-test
  (testing "what definitely failed must not be there"
    (is (= [false {:phantom 1}]
           (kinds [0 :invoke :create s0]
                  [0 :fail :create s0 {:type :store-unreachable}]
                  [1 :invoke :select s0] [1 :ok :select s0]))))
  (testing "a table that nobody else made cannot be in the way (S-15)"
    (is (= [false {:phantom 1}]
           (kinds [0 :invoke :create s0]
                  [0 :fail :create s0 {:type :table-exists}]))))
  (testing "what is in doubt may be there"
    (is (= [true {}]
           (kinds [0 :invoke :create s0] [0 :info :create s0]
                  [1 :invoke :select s0] [1 :ok :select s0])))))

(deftest columns-test
  (let [c {:table "s0" :column "c1"}
        start [[0 :invoke :create s0] [0 :ok :create s0]
               [0 :invoke :add-column c] [0 :ok :add-column c]]]
    (testing "an acknowledged column can be used"
      (is (= [false {:lost 1}]
             (apply kinds (conj start [1 :invoke :select-column c]
                                [1 :fail :select-column c
                                 {:type :unknown-column}])))))
    (testing "a dropped column cannot"
      (is (= [false {:resurrected 1}]
             (apply kinds (conj start
                                [0 :invoke :drop-column c] [0 :ok :drop-column c]
                                [1 :invoke :select-column c]
                                [1 :ok :select-column c])))))
    (testing "a column goes with its table to a new name"
      (let [renamed {:table "s1" :column "c1"}
            rename {:table "s0" :to "s1"}]
        (is (= [true {}]
               (apply kinds (conj start [0 :invoke :rename rename] [0 :ok :rename rename]
                                  [1 :invoke :select-column renamed]
                                  [1 :ok :select-column renamed]))))))))

(deftest contradiction-test
  (testing "seed A: acknowledged, cannot be read, cannot be made again"
    (let [result (existence/analysis
                   #{}
                   (history [0 :invoke :create s0] [0 :ok :create s0]
                            [1 :invoke :select s0]
                            [1 :fail :select s0 (no-such-table "s0")]
                            [1 :invoke :create s0]
                            [1 :fail :create s0 {:type :table-exists}]))]
      (is (= {:contradiction 1, :lost 1}
             (update-vals (:failures result) :count)))
      (is (= {:object [:table "s0"], :found 3, :though 5}
             (-> result :failures :contradiction :first first
                 (select-keys [:object :found :though])
                 (update :found :index) (update :though :index))))
      (is (= "1 × contradiction, first: [:table \"s0\"] by operation 3 on n2"
             (:reason result))))))
