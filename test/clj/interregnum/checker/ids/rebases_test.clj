(ns interregnum.checker.ids.rebases-test
  "Deletes and forced rebases in histories of the ids workload."
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.checker.ids :as ids]))

(defn- call
  "An operation of `process` as its two events."
  [process f value type more]
  [{:process process :type :invoke :f f :value value}
   {:process process :type type :f f :value (merge value more {:node "n1"})}])

(defn- insert
  [process tag id]
  (call process :insert {:table 0 :rows 1 :tag tag} :ok {:ids [id]}))

(defn- force-to
  [process base type]
  (call process :force {:table 0 :base base} type nil))

(defn- delete
  [process id type]
  (call process :delete {:table 0 :id id} type nil))

(defn- read-of
  [rows]
  (call 9 :read {:table 0} :ok {:rows rows}))

(defn- result
  "The checker's result for `events`, one after the other."
  [& events]
  (ids/analysis (map-indexed #(assoc %2 :index %1 :time (* 1000 %1))
                             (apply concat events))
                {}))

(defn- judged
  [& events]
  (select-keys (apply result events) [:valid? :violated]))

(def ^:private above 100000)

(deftest forced-test
  (testing "ids go on above the base, and nothing is missing below it"
    (is (= {:valid? true}
           (judged (insert 0 0 1) (force-to 1 above :ok) (insert 0 1 (inc above))
                   (read-of [[1 0] [(inc above) 1]])))))
  (testing "an insert after it that stays below"
    (is (= [:floor]
           (:violated (judged (insert 0 0 1) (force-to 1 above :ok) (insert 0 1 2)
                              (read-of [[1 0] [2 1]]))))))
  (testing "carried out twice: an id comes again while it is under way"
    (let [[begin end] (force-to 1 above :ok)]
      (is (= [:unique]
             (take 1 (:violated (judged (insert 0 0 1) [begin]
                                        (insert 0 1 (inc above))
                                        (insert 2 2 (inc above)) [end]
                                        (read-of [[1 0] [(inc above) 1]]))))))))
  (testing "one that may have gone down says nothing about the service"
    (is (= {:valid? :unknown}
           (judged (insert 0 0 50) (force-to 1 40 :ok) (insert 0 1 41)
                   (read-of [[50 0] [41 1]]))))
    (let [[begin end] (force-to 1 above :ok)]
      (is (= {:valid? :unknown}
             (judged (insert 0 0 1) [begin] (force-to 2 (* 2 above) :ok) [end]
                     (read-of [[1 0]])))))
    (is (= {:valid? :unknown}
           (judged (insert 0 0 1) (force-to 1 above :info)
                   (force-to 2 (* 2 above) :ok) (read-of [[1 0]])))
        "one in doubt may come later"))
  (testing "one in doubt whose effect was seen is over"
    (is (= {:valid? true}
           (judged (insert 0 0 1) (force-to 1 above :info) (insert 0 1 (inc above))
                   (force-to 2 (* 3 above) :ok)
                   (read-of [[1 0] [(inc above) 1]])))))
  (testing "so is one whose acknowledgement is late"
    (let [[begin end] (force-to 1 above :ok)]
      (is (= {:valid? true}
             (judged (insert 0 0 1) [begin] (insert 0 1 (inc above))
                     (force-to 2 (* 3 above) :ok) [end]
                     (read-of [[1 0] [(inc above) 1]]))))))
  (testing "one that failed did nothing"
    (is (= {:valid? true}
           (judged (insert 0 0 1) (force-to 1 above :fail) (insert 0 1 2)
                   (read-of [[1 0] [2 1]]))))))

(deftest deleted-test
  (testing "a deleted row is gone, one in doubt may be"
    (doseq [[type rows] [[:ok [[1 0]]] [:info [[1 0]]] [:info [[1 0] [2 1]]]]]
      (is (= {:valid? true}
             (judged (insert 0 0 1) (insert 0 1 2) (delete 1 2 type) (read-of rows))))))
  (testing "a deleted row that is still there"
    (let [{:keys [invariants] :as found}
          (result (insert 0 0 1) (insert 0 1 2) (delete 1 2 :ok)
                  (read-of [[1 0] [2 1]]))]
      (is (= [:rows] (:violated found)))
      (is (= :undeleted (:kind (:worst (:rows invariants)))))))
  (testing "a row is not excused by the delete of another, nor by one that failed"
    (doseq [events [[(delete 1 2 :ok)] [(delete 1 1 :fail)]]]
      (is (= [:rows]
             (:violated (apply judged (concat [(insert 0 0 1) (insert 0 1 2)] events
                                              [(read-of [[2 1]])])))))))
  (testing "the id of a deleted row does not come again"
    (is (= :unique
           (first (:violated (judged (insert 0 0 1) (insert 0 1 2) (delete 1 2 :ok)
                                     (insert 0 2 2) (read-of [[1 0] [2 2]])))))))
  (testing "an explicit insert may take it"
    (is (= {:valid? true}
           (judged (insert 0 0 1) (delete 1 1 :ok)
                   (call 2 :insert-explicit {:table 0 :id 1 :tag 5} :ok nil)
                   (read-of [[1 5]]))))))
