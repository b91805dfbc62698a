(ns interregnum.nemesis.enough-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.nemesis.enough :as enough]
            [jepsen.generator :as gen]
            [jepsen.generator.test :as sim]))

(set! *warn-on-reflection* true)

(def ^:private families
  [{:name :kill, :injects #{:kill}} {:name :resign, :injects #{:resign}}])

(defn- last-second
  "In which second the last operation is asked for, when the `i`-th fault of each
  kind, counted from 1, takes effect if `(effect? f i)`."
  [effect?]
  (let [counts (atom {})
        faults (gen/cycle [{:type :info, :f :kill} {:type :info, :f :resign}])
        load   (gen/stagger 1/10 (gen/repeat {:f :read}))
        run    (sim/simulate
                 (gen/context {:concurrency 2})
                 (enough/time-limit
                   10 20 families
                   (gen/clients load (gen/delay 2 faults)))
                 (fn [_ {:keys [process f] :as op}]
                   (if (= :nemesis process)
                     (let [i (get (swap! counts update f (fnil inc 0)) f)]
                       (assoc op :value {:took-effect? (effect? f i)}))
                     (assoc op :type :ok))))]
    (quot (:time (last run)) 1000000000)))

(deftest time-limit-test
  (testing "it holds when every family took effect"
    (is (= 9 (last-second (constantly true)))))
  (testing "it is put off for a family that did not, but not for ever"
    (is (= 29 (last-second (fn [f _] (= :kill f)))))
    (is (= 29 (last-second (constantly false)))))
  (testing "until that one did"
    (is (= 14 (last-second (fn [_ i] (< 3 i)))))))

(deftest long-run-test
  (testing "a fault that takes effect after many events"
    (let [event   #(gen/update %1 {} (gen/context {:concurrency 2}) %2)
          effect  (fn [f] {:process :nemesis, :type :info, :f f, :value {:took-effect? true}})
          limited (-> (reduce event
                              (enough/time-limit 1 1 families (gen/repeat {:f :read}))
                              (repeat 50000 {:process 0, :type :ok, :f :read}))
                      (event (effect :kill))
                      (event (effect :resign)))]
      (is (= :read (:f (first (gen/op limited {} (gen/context {:concurrency 2})))))))))
