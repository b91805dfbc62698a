(ns interregnum.nemesis.strikes-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.nemesis.paced :as paced]
            [interregnum.nemesis.phases :as phases]
            [interregnum.nemesis.strikes :as strikes]))

(defn- schedule
  "The first `n` strikes against `role`."
  [seed role n]
  (mapv #(strikes/strike seed (paced/random seed :phase %) role %) (range n)))

(defn- phase
  "What of a strike is of its phase's."
  [strike]
  (select-keys strike [:at :point :term]))

(defn- phases-of
  [role deck]
  (set (map phase (get-in phases/by-role [role deck]))))

(deftest decks-test
  (doseq [role [:autoid :ddl]
          seed [1 2 3]
          :let [telling (phases-of role :telling)
                others  (phases-of role :others)
                turns   (/ (* 3 (count telling)) 2)
                strikes (map phase (rest (schedule seed role 200)))]]
    (testing "two turns of three are the telling deck's, and none of it is left out"
      (is (= telling (set (filter telling (take turns strikes)))) [role seed])
      (is (every? (into telling others) strikes))
      (is (every? true? (map #(boolean (or (telling (nth strikes %))
                                           (telling (nth strikes (inc %)))))
                             (range 0 190 3)))))
    (testing "nor of the other"
      (is (= others (set (filter others strikes)))))))

(deftest strikes-test
  (doseq [role [:autoid :ddl]
          :let [catalogue (mapcat val (phases/by-role role))
                chosen    (schedule 3 role 200)]]
    (testing "each phase has acts of its own"
      (is (every? (fn [{:keys [act] :as strike}]
                    (some #(and (= (phase strike) (phase %)) (some #{act} (:acts %)))
                          catalogue))
                  chosen)))
    (testing "a successor has to come into office somehow"
      (is (every? #(= (= :successor (:at %)) (contains? % :cause)) chosen)))
    (testing "the first is one that is always reached"
      (is (= [:owner :delete-key] ((juxt :at :act) (first chosen)))))))

(deftest companions-test
  (let [strikes (mapcat #(schedule % :ddl 100) (range 5))
        lagging (filter :lags strikes)]
    (testing "an owner that knows that it was deposed has none"
      (is (every? :late-retirement? (filter :slow-successor? strikes)))
      (is (every? :late-retirement? lagging)))
    (testing "a laggard misses the step that is held, or the next one"
      (is (= {"beforeCleanMdl" #{:held}}
             (update-vals (group-by :point (remove (comp #{:first} :lags) lagging))
                          (comp set (partial map :lags)))))
      (is (< 3 (count (distinct (map :point (filter (comp #{:first} :lags) lagging)))))))
    (testing "a successor that has to be ahead is not slow"
      (is (not-any? :slow-successor? (filter (comp #{:held} :lags) lagging))))
    (testing "what is planned only is slow under the next owner, with a laggard or without"
      (let [planned (filter #(and (:late-retirement? %) (phases/before-commit (:point %)))
                            strikes)]
        (is (every? :slow-successor? planned))
        (is (= #{:first nil} (set (map :lags planned))))))
    (testing "no laggard keeps other versions from overtaking one"
      (is (not-any? (comp #{"afterVersionAlloc"} :point) lagging)))))

(deftest last-strike-test
  (doseq [role [:autoid :ddl]]
    (testing "an owner works on that was deposed"
      (let [strikes (mapv #(strikes/last-strike 3 role %) (range 50))]
        (is (every? :late-retirement? strikes))
        (is (= (phases/outlasting role) (set (map :point strikes))))))))

(deftest points-test
  (testing "a job that is held waits under the next owner too"
    (is (= {:point "beforeRunJob" :term "pause:job=7" :stage 1}
           (phases/slow-successor "node=n1,job=7,table=s4")))
    (is (nil? (phases/slow-successor "node=n1"))))
  (testing "elections of both roles have the same failpoints"
    (is (= "1*pause:role=ddl" (phases/term-for :ddl "insideOnBecome" phases/hold)))
    (is (= "1*pause" (phases/term-for :ddl "beforeRunJob" phases/hold)))))

(deftest ids-test
  (testing "nothing of schema changes goes with a strike against the service of ids"
    (is (not-any? (some-fn :lags :slow-successor?) (schedule 1 :autoid 100)))))
