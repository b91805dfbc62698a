(ns interregnum.progress-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.progress :as progress]
            [jepsen.generator :as gen]
            [jepsen.generator.test :as sim]))

(def ^:private perf
  #{{:name "kill" :start #{:kill} :stop #{:start}}})

(deftest line-test
  (is (= "   0 s  setting up" (progress/line progress/initial 0)))
  (is (= "   1 s  ok 0  fail 0  info 0  owner unknown  faults none"
         (progress/line (assoc progress/initial :phase :run) 1)))
  (is (= "  31 s  checking 8 operations"
         (progress/line {:phase :check :counts {:ok 7 :fail 1 :info 0}} 31)))
  (is (= "  12 s  ok 7  fail 0  info 1  owner n2 (term 9)  faults kill, pause"
         (progress/line {:phase :run
                         :counts {:ok 7 :fail 0 :info 1}
                         :owner {:id "n2" :term 9}
                         :active (sorted-set "pause" "kill")}
                        12))))

(deftest owner-test
  (let [test {:progress (atom progress/initial)}]
    (progress/owner! test {:id "n2" :term 9 :address "x"})
    (testing "an older term does not replace a newer one"
      (progress/owner! test {:id "n1" :term 5}))
    (is (= {:id "n2" :term 9} (:owner @(:progress test))))))

(deftest watched-test
  (let [state (atom progress/initial)
        run   (fn [g] (sim/quick-ops (sim/n+nemesis-context 2)
                                     (progress/watched g state perf)))]
    (testing "operations pass unchanged and are counted, faults while they last"
      (is (= [[0 :r] [1 :r] [:nemesis :kill] [:nemesis :noop]]
             (map (juxt :process :f)
                  (filter #(= :invoke (:type %))
                          (run (gen/phases
                                 (gen/clients (gen/repeat 2 {:f :r}))
                                 (gen/nemesis {:f :kill})
                                 (gen/nemesis {:f :noop})))))))
      (is (= {:ok 2 :fail 0 :info 0} (:counts @state)))
      (is (= #{"kill"} (:active @state))))
    (testing "a fault that was ended is not active"
      (run (gen/nemesis {:f :start}))
      (is (= #{} (:active @state))))))
