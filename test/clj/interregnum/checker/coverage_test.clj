(ns interregnum.checker.coverage-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.checker.coverage :as coverage]
            [interregnum.checker.owners :as owners]))

(defn- nemesis-op
  [f value]
  {:process :nemesis :type :info :f f :value value})

(def ^:private sightings
  [{:role :autoid :id "n1" :term 5 :from 0 :to 10}
   {:role :ddl :id "n3" :term 2 :from 0 :to 90}
   {:role :autoid :id "n2" :term 9 :from 20 :to 30}
   {:role :autoid :id "n1" :term 5 :from 5 :to 15}
   {:role :autoid :id "n1" :term 12 :from 40 :to 50}])

(def ^:private resign
  {:name :resign :injects #{:resign} :changes-owner? true})

(def ^:private did
  "What the nemesis did in a run in which the faults did what they are for."
  [(nemesis-op :resign nil)
   (nemesis-op :resign {:took-effect? true})
   (nemesis-op :owners sightings)])

(defn- oks
  "`n` operations that succeeded after `time`."
  [time n]
  (for [i (range n)]
    {:process 0 :type :ok :f :insert :time (+ 5 time i)}))

(deftest reigns-test
  (let [reigns (owners/reigns [(nemesis-op :owners nil)
                               (nemesis-op :owners sightings)]
                              :autoid)]
    (is (= [{:id "n1" :term 5 :from 0 :to 15}
            {:id "n2" :term 9 :from 20 :to 30}
            {:id "n1" :term 12 :from 40 :to 50}]
           reigns))
    (is (= 2 (owners/changes reigns)))
    (is (= 1 (owners/returns reigns)))
    (is (= [{:id "n2" :term 9}] (owners/during reigns 16 30)))
    (testing "unseen time may hide reigns"
      (is (= 3 (owners/changes-max reigns 0 60)))
      (is (= 13 (owners/changes-max reigns 0 (+ 50 1000000000)))))))

(deftest nothing-asked-test
  (is (= {:valid? true
          :reason "The owner changed 0 times."
          :faults {}
          :reigns []
          :change-count 0
          :return-count 0}
         (coverage/analysis [] {:role :autoid}))))

(deftest shortcomings-test
  (let [reason (fn [history]
                 (select-keys (coverage/analysis history {:role :autoid
                                                          :fault-families [resign]})
                              [:valid? :reason]))]
    (testing "a family that never ran"
      (is (= {:valid? :unknown :reason "No resign fault was injected."}
             (reason []))))
    (testing "a fault that never took effect"
      (is (= {:valid? :unknown :reason "None of 1 resign faults took effect."}
             (reason [(nemesis-op :resign nil)
                      (nemesis-op :resign {:took-effect? false})]))))
    (testing "an owner that never changed"
      (is (= {:valid? :unknown
              :reason "The owner never changed, though the faults were meant to change it."}
             (reason [(nemesis-op :resign nil)
                      (nemesis-op :resign {:took-effect? true})]))))
    (testing "a run that did what it claims"
      (is (= {:valid? true
              :reason "The owner changed 2 times, and every fault took effect."}
             (reason (into did (oks 16 5))))))))

(deftest idle-test
  (let [result (fn [family history]
                 (:reason (coverage/analysis history
                                             {:role :autoid :interrupted #{:create}
                                              :fault-families [family]})))
        create (fn [from to type]
                 [{:process 1 :type :invoke :f :create :time from}
                  {:process 1 :type type :f :create :time to}])
        fine   "The owner changed 2 times, and every fault took effect."]
    (testing "nothing done under another owner"
      (is (= "Clients got nothing done under another owner than the first."
             (result resign (into did (oks 16 4)))
             (result resign (into did (oks 1 9))))))
    (testing "nothing interrupted"
      (let [idle "No create was under way when the owner changed."]
        (is (= idle
               (result resign (into did (oks 16 5)))
               (result resign (into (into did (oks 16 5)) (create 21 29 :ok)))
               (result resign (into (into did (oks 16 5)) (create 14 29 :info)))))
        (is (= fine (result resign (into (into did (oks 16 5)) (create 14 29 :ok)))))))
    (testing "a failpoint left armed"
      (let [end-phase #(nemesis-op :end-phase {:released [] :left %})
            history   #(-> did (into (oks 16 5)) (into (create 14 29 :ok)) (into %))]
        (is (= "Some failpoints were still armed in the end: [[\"n1\" \"beforeAck\"]]."
               (result resign (history [(end-phase [["n1" "beforeAck"]])]))))
        (is (= fine (result resign (history [(end-phase [["n1" "beforeAck"]])
                                             (end-phase [])]))))))
    (testing "an owner that is to come back"
      (let [returning (assoc resign :returns-owner? true)]
        (is (= "Clients got nothing done under an owner that came back."
               (result returning (into did (oks 21 9)))))
        (is (= fine (result returning (-> did
                                          (into (oks 41 5))
                                          (into (create 14 29 :ok)))))
            "and does")
        (is (= "No owner came back, though the faults were meant to bring one back."
               (result returning
                       (into [(nemesis-op :resign {:took-effect? true})
                              (nemesis-op :owners (vec (butlast sightings)))]
                             (oks 16 9)))))))))
