(ns interregnum.checker.schema.inside-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.checker.schema.inside :as inside]
            [jepsen.history :as h]))

(defn- findings
  "Findings on a history of completed calls [process f value]."
  [& calls]
  (:findings
    (inside/analysis
      (h/history
        (mapcat (fn [i [process f value]]
                  [{:process process, :type :invoke, :f f, :time (* 20 i)}
                   {:process process, :type :ok, :f f, :value value
                    :time (+ 10 (* 20 i))}])
                (range) calls)))))

(defn- look
  [node version hash]
  [0 :inside {:node node, :version version, :hash hash}])

(defn- dump
  [inside]
  [0 :dump {:node "n1", :asked [], :tables {}, :inside inside}])

(deftest versions-test
  (testing "versions that grow, and agree between nodes, are fine"
    (is (= [] (findings (look "n1" 3 "a") (look "n2" 3 "a") (look "n1" 4 "b")))))
  (testing "a version that goes back"
    (is (= [{:finding "S-3: a node's schema version went back"
             :node "n1", :from 4, :to 3, :at 3}]
           (findings (look "n1" 4 "b") (look "n1" 3 "a")))))
  (testing "one version with two contents"
    (is (= [{:finding "S-4: one schema version, different tables"
             :version 3, :nodes ["n1" "n2"]}]
           (findings (look "n1" 3 "a") (look "n2" 3 "b"))))))

(deftest store-test
  (testing "a later version under an earlier term"
    (is (= [{:finding "S-8: a deposed owner wrote after its successor"
             :versions [12 13], :terms [9 5]}]
           (findings (dump {:diffs [{:version 12, :term 9} {:version 13, :term 5}]})))))
  (testing "a job that ended twice, one that did not, and a lock left behind"
    (is (= [{:finding "S-5: a job ended more than once", :job 1}
            {:finding "S-12: a job has not ended", :job 2, :table "s0"}
            {:finding "S-12: a metadata lock row was left behind", :job 3}]
           (findings (dump {:history [{:id 1} {:id 1}]
                            :jobs [{:id 2, :table "s0"}]
                            :mdl [{:jobId 3}]}))))))
