(ns interregnum.checker.schema.rows-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.checker.schema.rows :as rows]
            [jepsen.history :as h]))

(defn- history
  [& rows]
  (h/history
    (map-indexed (fn [i [process type f value]]
                   {:process process, :type type, :f f, :time (* 10 i)
                    :value (assoc value :node "n1")})
                 rows)))

(defn- calls
  "Two history rows for each [f value type]."
  [& fs]
  (mapcat (fn [[f value type]]
            [[0 :invoke f value] [0 (or type :ok) f value]])
          fs))

(defn- dump
  [tables]
  [:dump {:asked (vec (keys tables)) :tables tables}])

(defn- result
  [& fs]
  (rows/analysis (apply history (apply calls fs)) nil))

(defn- kinds
  [& fs]
  (let [{:keys [valid? failures]} (apply result fs)]
    [valid? (update-vals failures :count)]))

(defn- insert [id v & [type]] [:insert {:table "s0" :id id :v v} type])
(defn- update-row [id v & [type]] [:update {:table "s0" :id id :v v} type])
(defn- delete [id & [type]] [:delete {:table "s0" :id id} type])
(defn- check [inconsistent] [:check {:table "s0" :inconsistent inconsistent}])
(defn- found [rows] (dump {"s0" {:rows rows}}))

(deftest no-dump-test
  (is (= {:valid? :unknown
          :check-count 0
          :dump-count 0
          :row-count 0
          :reason "no node's tables were read at the end"}
         (result (insert 1 10)))))

(deftest rows-test
  (testing "what was acknowledged is there"
    (is (= [true {}] (kinds (insert 1 10) (found [[1 10]]))))
    (is (= [false {:lost-row 1}] (kinds (insert 1 10) (found [])))))
  (testing "what is in doubt may be there or not"
    (is (= [true {}] (kinds (insert 1 10 :info) (found []))))
    (is (= [true {}] (kinds (insert 1 10 :info) (found [[1 10]])))))
  (testing "what failed is not there"
    (is (= [false {:unexpected-row 1}]
           (kinds (insert 1 10 :fail) (found [[1 10]])))))
  (testing "an overwritten value does not stand"
    (is (= [true {}] (kinds (insert 1 10) (update-row 1 11) (found [[1 11]]))))
    (is (= [false {:wrong-row 1}]
           (kinds (insert 1 10) (update-row 1 11) (found [[1 10]]))))
    (is (= [true {}]
           (kinds (insert 1 10) (update-row 1 11 :info) (found [[1 10]])))))
  (testing "a deleted row is gone"
    (is (= [true {}] (kinds (insert 1 10) (delete 1) (found []))))
    (is (= [false {:wrong-row 1}] (kinds (insert 1 10) (delete 1) (found [[1 10]]))))
    (is (= [true {}] (kinds (insert 1 10) (delete 1 :info) (found []))))))

(deftest moved-and-emptied-test
  (testing "rows go with their table to a new name"
    (is (= [true {}]
           (kinds (insert 1 10) [:rename {:table "s0" :to "s1"}]
                  (dump {"s1" {:rows [[1 10]]}}))))
    (is (= [false {:lost-row 1}]
           (kinds (insert 1 10) [:rename {:table "s0" :to "s1"}]
                  (dump {"s1" {:rows []}})))))
  (testing "a truncation may have removed them"
    (is (= [true {}]
           (kinds (insert 1 10) [:truncate {:table "s0"}] (found []))))))

(deftest indexes-test
  (testing "an index that misses a row is named with it"
    (is (= {:valid? false
            :check-count 0
            :dump-count 1
            :row-count 2
            :failures {:index-differs
                       {:count 1
                        :first [{:kind :index-differs, :table "s0", :index "k0"
                                 :missing [[2 20]], :extra []
                                 :node "n1", :dump 5}]}}
            :reason "index-differs in table s0 on n1"}
           (result (insert 1 10) (insert 2 20)
                   (dump {"s0" {:rows [[1 10] [2 20]]
                                :index-rows {"k0" [[1 10]]}}})))))
  (testing "so is a failed ADMIN CHECK TABLE"
    (is (= [false {:check-table-failed 1}]
           (kinds (insert 1 10)
                  (dump {"s0" {:rows [[1 10]], :check "index k0 lacks row 1"}}))))))

(deftest checks-test
  (let [moving {:valid? :unknown, :reason "still under way"}
        judge  (fn [moving & fs]
                 (select-keys (rows/analysis (apply history (apply calls fs)) moving)
                              [:valid? :check-count :failures :reason]))]
    (testing "a table that was inconsistent once is a failure, whatever became of it"
      (is (= {:valid? false
              :check-count 2
              :failures {:check-table-failed
                         {:count 1
                          :first [{:kind :check-table-failed, :table "s0", :node "n1"
                                   :message "index k0 lacks row 1"
                                   :op {:index 3, :process 0, :type :ok, :f :check
                                        :time 30, :node "n1"
                                        :value {:table "s0", :node "n1"
                                                :inconsistent "index k0 lacks row 1"}}}]}}
              :reason "check-table-failed in table s0 on n1"}
             (judge nil (insert 1 10) (check "index k0 lacks row 1") (check nil)
                    (found [[1 10]]))
             (judge moving (insert 1 10) (check "index k0 lacks row 1") (check nil)))))
    (testing "dumps taken too early say nothing"
      (is (= (assoc moving :check-count 1)
             (judge moving (insert 1 10) (check nil) (found [])))))))
