(ns ids-checker
  "Times the id checkers on a history of a million operations. In the checkout,
  after a build:

    java -Xmx1g -cp src/clj:src/engine:target/classes:$(cat target/classpath) clojure.main bench/ids_checker.clj

  Prints the time of each of a few runs in the same JVM; the first one is what a
  test run pays."
  (:require [interregnum.checker.ids :as ids]
            [jepsen.history :as h])
  (:import (java.util SplittableRandom)))

(def processes 20)
(def tables 4)

(defn- ack
  "The completion of the `i`-th call; `counters` is the next free id per table."
  [i ^longs counters table rows process]
  (let [low (aget counters table)]
    (aset counters table (+ low (long rows)))
    {:process process :type :ok :f :insert
     :value {:table table :rows rows :tag (* 3 i) :node "n1"
             :ids (vec (range low (+ low (long rows))))}}))

(defn history
  "A valid history of about `n` operations, mostly inserts that overlap, with a
  read of every table in the end."
  [n seed]
  (let [random   (SplittableRandom. seed)
        counters (long-array tables 1)
        calls    (vec (for [i (range (quot n 2))]
                        [i (long (.nextInt random (int tables)))
                         (if (< (.nextDouble random) 0.2) 3 1)
                         (mod i processes)]))
        inserts  (mapcat (fn [batch]
                           (concat
                             (for [[i table rows process] batch]
                               {:process process :type :invoke :f :insert
                                :value {:table table :rows rows :tag (* 3 (long i))}})
                             (mapv (fn [[i table rows process]]
                                     (ack i counters table rows process))
                                   batch)))
                         (partition-all processes calls))
        inserts  (vec inserts)
        rows     (group-by first
                           (for [{:keys [type value]} inserts
                                 :when (= :ok type)
                                 [k id] (map-indexed vector (:ids value))]
                             [(:table value) [id (+ (long (:tag value)) (long k))]]))
        reads    (for [table (range tables)
                       op [{:process 0 :type :invoke :f :read :value {:table table}}
                           {:process 0 :type :ok :f :read
                            :value {:table table :node "n1"
                                    :rows (mapv second (rows table))}}]]
                   op)]
    (h/history (map-indexed #(assoc %2 :index %1 :time (* 1000 (long %1)))
                            (concat inserts reads)))))

(defn -main
  "Runs the benchmark."
  []
  (let [history (history 1000000 45100)]
    (dotimes [_ 5]
      (System/gc)
      (let [start  (System/nanoTime)
            result (ids/analysis history {})
            millis (quot (- (System/nanoTime) start) 1000000)
            used   (- (.totalMemory (Runtime/getRuntime))
                      (.freeMemory (Runtime/getRuntime)))]
        (println (count history) "operations:" millis "ms, verdict"
                 (:valid? result) "heap in use" (quot used 1000000) "MB")))))

(-main)
