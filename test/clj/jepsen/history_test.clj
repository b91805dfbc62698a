(ns jepsen.history-test
  (:require [clojure.test :refer [deftest is testing]]
            [jepsen.history :as h]
            [jepsen.history.fold :as fold])
  (:import (jepsen.history Op)))

(defn- thrown-type
  "The :type of the ex-info that `f` throws."
  [f]
  (try (f) nil
       (catch clojure.lang.ExceptionInfo e (:type (ex-data e)))))

(def ops
  "Two clients and a nemesis; process 1 crashes."
  [{:time 0, :process 0,        :type :invoke, :f :w,     :value 1}
   {:time 1, :process :nemesis, :type :info,   :f :kill,  :value nil}
   {:time 2, :process 1,        :type :invoke, :f :r,     :value nil}
   {:time 3, :process 0,        :type :ok,     :f :w,     :value 1}
   {:time 4, :process :nemesis, :type :info,   :f :kill,  :value :done}
   {:time 5, :process 1,        :type :info,   :f :r,     :value nil, :error :lost}
   {:time 6, :process 0,        :type :invoke, :f :r,     :value nil}])

(def history (h/history ops))

(deftest op-test
  (let [op (h/op {:index 3, :type :ok, :process 0, :f :r, :value 1, :node "n1"})]
    (testing "it is a record with the fields in this order, and prints as a map"
      (is (= [3 -1 :ok 0 :r 1] ((juxt #(.index ^Op %) #(.time ^Op %) #(.type ^Op %)
                                      #(.process ^Op %) #(.f ^Op %) #(.value ^Op %)) op)))
      (is (= "{:index 3, :time -1, :type :ok, :process 0, :f :r, :value 1, :node \"n1\"}"
             (pr-str op))))
    (testing "dropping an extra key keeps it an Op, dropping a field does not"
      (is (h/op? (dissoc op :node)))
      (is (not (h/op? (dissoc op :f)))))
    (testing "stamp sets index and time and keeps the rest"
      (is (= (assoc op :index 7, :time 8) (h/stamp op 7 8)))
      (is (= (assoc op :index 7, :time 8) (h/stamp (into {} op) 7 8))))
    (testing "as data"
      (is (= {:time -1, :type :ok, :process 0, :f :r, :value 1, :node "n1"}
             (first (h/strip-indices [op]))))
      (is (not (contains? (first (h/strip-times [op])) :time))))))

(deftest vector-like-test
  (is (= 7 (count history)))
  (is (= (range 7) (map :index history)))
  (is (= :kill (:f (nth history 4)) (:f (get history 4)) (:f (history 4))))
  (is (nil? (get history 7)))
  (is (= ::none (nth history 7 ::none)))
  (is (thrown? IndexOutOfBoundsException (nth history 7)))
  (is (= (vec history) history))
  (is (= history (vec history)))
  (is (= (hash (vec history)) (hash history)))
  (is (= (reverse (vec history)) (rseq history)))
  (is (= 21 (reduce (fn [sum op] (+ sum (:index op))) 0 history)))
  (is (= :r (reduce (fn [_ op] (if (= 2 (:index op)) (reduced (:f op)) nil)) nil history)))
  (testing "an empty history"
    (is (empty? (h/history [])))
    (is (= [] (h/history []))))
  (testing "it is read-only"
    (is (thrown? UnsupportedOperationException (conj history {})))))

(deftest indices-test
  (testing "given indices are kept, and the history is sparse if they have gaps"
    (let [sparse (h/history [{:index 3, :process 0, :type :invoke}
                             {:index 7, :process 0, :type :ok}])]
      (is (not (h/dense-indices? sparse)))
      (is (= :ok (:type (h/get-index sparse 7))))
      (is (nil? (h/get-index sparse 4)))
      (is (= 7 (h/pair-index sparse 3)))))
  (testing "indices that are the positions make it dense"
    (is (h/dense-indices? (h/history (vec history)))))
  (is (= :jepsen.history/no-integer-index
         (thrown-type #(h/history [{:index 0} {:process 1}]))))
  (is (= :jepsen.history/existing-different-index
         (thrown-type #(h/dense-history [{:index 1}]))))
  (is (= :jepsen.history/indices-not-increasing
         (thrown-type #(h/get-index (h/sparse-history [{:index 5} {:index 5}]) 5)))))

(deftest pairs-test
  (is (= [3 4 5 0 1 2 -1] (mapv #(h/pair-index history %) (range 7))))
  (is (= (history 3) (h/completion history (history 0))))
  (is (= (history 0) (h/invocation history (history 3))))
  (testing "the nemesis pairs up consecutive operations"
    (is (= (history 4) (h/completion history (history 1)))))
  (testing "no completion"
    (is (nil? (h/completion history (history 6)))))
  (testing "the wrong kind"
    (is (thrown? IllegalArgumentException (h/completion history (history 3))))
    (is (thrown? IllegalArgumentException (h/invocation history (history 0)))))
  (testing "histories that make no sense are found when pairs are needed"
    (doseq [[expected types] {:jepsen.history/double-invoke   [:invoke :invoke]
                              :jepsen.history/not-running     [:ok]
                              :jepsen.history/double-complete [:invoke :ok :fail]}]
      (let [history (h/history (for [type types] {:process 0, :type type}))]
        (is (= expected (thrown-type #(h/ensure-pair-index history))))))))

(deftest views-test
  (is (= [0 2 3 5 6] (map :index (h/client-ops history))))
  (is (= [0 2 6] (map :index (h/invokes history))))
  (is (= [3] (map :index (h/oks history))))
  (is (= [1 4 5] (map :index (h/infos history))))
  (is (= [] (h/fails history)))
  (is (= [1 3 4 5] (map :index (h/possible history))))
  (is (= [2 5 6] (map :index (h/filter-f :r history))))
  (is (= [1 2 4 5 6] (map :index (h/filter-f #{:r :kill} history))))
  (is (= [0 1 2 6] (map :index (h/remove h/ok? (h/filter #(not= 4 (:time %))
                                                         (h/remove :error history))))))
  (testing "a mapped view keeps density and pairs"
    (let [view (h/map #(assoc % :value 9) history)]
      (is (h/dense-indices? view))
      (is (= 9 (:value (h/completion view (view 0))) (:value (view 6))))))
  (testing "a filtered view is sparse, and does not see what is filtered out"
    (let [view (h/oks history)]
      (is (not (h/dense-indices? view)))
      (is (= (history 3) (h/get-index view 3)))
      (is (nil? (h/get-index view 0)))
      (is (nil? (h/invocation view (view 0))))))
  (is (= :jepsen.history/not-history (thrown-type #(h/oks [])))))

(deftest fold-test
  (let [n       100000
        history (h/history (for [i (range n)]
                             {:process (quot i 2), :type (if (even? i) :invoke :ok), :value i}))]
    (testing "chunks are combined in order"
      (is (= (range n)
             (h/fold history {:reducer-identity  (fn [] [])
                              :reducer           (fn [acc op] (conj acc (:value op)))
                              :post-reducer      identity
                              :combiner-identity (fn [] [])
                              :combiner          into
                              :post-combiner     identity}))))
    (testing "transducer-like functions will do"
      (is (= (reduce + (range n))
             (h/fold history {:reducer  (fn ([] 0) ([acc] acc) ([acc op] (+ acc (:value op))))
                              :combiner +}))))
    (testing "without combiner it is a left fold"
      (is (= n (h/fold history (fn ([] 0) ([acc] acc) ([acc _] (inc acc)))))))
    (testing "loops"
      (is (= [(/ n 2) (dec n)]
             (h/fold history
                     (fold/loopf {:name :count-and-max}
                                 ([oks 0, largest 0] [op]
                                  (recur (if (h/ok? op) (inc oks) oks)
                                         (max largest (:value op))))
                                 ([oks 0, largest 0] [[chunk-oks chunk-largest]]
                                  (recur (+ oks chunk-oks) (max largest chunk-largest)))))))
      (is (= 5 (h/fold history (fold/loopf {:name :first-above}
                                           ([] [op] (if (< 4 (:value op)) (:value op) (recur)))))))
      (is (= 0 (h/fold (h/history []) (fold/loopf {:name :count}
                                                  ([n 0] [_] (recur (inc n)))
                                                  ([n 0] [m] (recur (+ n m))))))))))

(deftest task-test
  (let [a (h/task history a [] (count history))
        b (h/task history b {:some :data} [x a] (* 10 x))
        c (h/task history c [_ b] (throw (ex-info "no" {:type :no})))
        d (h/task history d [_ c] :unreachable)]
    (is (= 7 @a))
    (is (= 70 @b))
    (testing "what a task throws is thrown by deref, also through dependents"
      (is (= :no (thrown-type #(deref c)) (thrown-type #(deref d)))))
    (is (= :caught @(h/catch-task history 'e d (fn [_] :caught))))
    (testing "many tasks that wait for each other inside of others do not block the pool"
      (let [nested (doall (for [i (range 20)]
                            (h/task history outer []
                                    @(h/task history inner [] i))))]
        (is (= (range 20) (map #(deref % 10000 :blocked) nested)))))))
