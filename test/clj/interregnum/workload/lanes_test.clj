(ns interregnum.workload.lanes-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.workload.lanes :as lanes]
            [jepsen.generator :as gen]
            [jepsen.generator.test :as sim]))

(defn- threads
  "How many of 5000 operations each thread invokes in a simulated run at 100 a second."
  [concurrency]
  (->> (lanes/lanes (gen/repeat {:f :look}) 100
                    {:nodes ["n1" "n2" "n3"] :concurrency concurrency})
       (gen/limit 5000)
       gen/clients
       (sim/perfect (sim/n+nemesis-context concurrency))
       (map :process)
       frequencies))

(deftest lanes-test
  (testing "half of the threads call seldom, the others all the time"
    (let [counts  (threads 12)
          patient (mapv #(get counts % 0) (range 6))
          busy    (mapv #(get counts % 0) (range 6 12))]
      (is (every? pos? patient))
      (is (< (* 10 (reduce + patient)) (reduce + busy)))))
  (testing "one thread for each node is busy"
    (is (= #{0 1 2} (set (keys (threads 3)))))))
