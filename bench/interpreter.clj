(ns interpreter
  "Operations per second of the interpreter with a client that does nothing, while
  the history is written to disk. In the checkout, after a build:

    java -Xmx3g -cp src/clj:src/engine:target/classes:$(cat target/classpath) clojure.main bench/interpreter.clj

  Optional arguments: the number of operations (1000000) and the concurrencies
  (10 1000). Each is run a few times in the same JVM; the first is not warm."
  (:require [jepsen.client :as client]
            [jepsen.generator :as gen]
            [jepsen.generator.interpreter :as interpreter]
            [jepsen.nemesis :as nemesis]
            [jepsen.store.history-file :as history-file])
  (:import (ch.qos.logback.classic Level Logger)
           (com.sun.management OperatingSystemMXBean)
           (java.io File)
           (java.lang.management ManagementFactory)
           (org.slf4j LoggerFactory)))

(set! *warn-on-reflection* true)

(def runs
  "Runs of each concurrency."
  4)

(defn- cpu-nanos
  "Processor time that this JVM has used."
  []
  (.getProcessCpuTime ^OperatingSystemMXBean (ManagementFactory/getOperatingSystemMXBean)))

(defn- run-test!
  "Runs a test of `operations` operations, recorded with `record!`."
  [operations concurrency record!]
  (interpreter/run! {:nodes       ["n1" "n2" "n3"]
                     :concurrency concurrency
                     :client      client/noop
                     :nemesis     nemesis/noop
                     :store       {:history-writer record!}
                     :generator   (gen/clients (gen/limit operations (gen/repeat {:f :read})))}))

(defn- measure
  "A line about one run, up to and including the last byte of the history."
  [operations concurrency ^File file]
  (let [cpu    (cpu-nanos)
        begin  (System/nanoTime)
        writer (history-file/open! file)
        _      (run-test! operations concurrency (fn [op] (history-file/append! writer op)))
        _      (history-file/close! writer)
        secs   (/ (- (System/nanoTime) begin) 1e9)]
    (format "concurrency %d: %.0f ops/s, %.1f us of processor time per operation, %d MB"
            concurrency (/ operations secs)
            (/ (- (cpu-nanos) cpu) 1e3 operations)
            (quot (.length file) 1000000))))

(defn- read-back
  "A line about reading the history of the last run."
  [^File file]
  (let [begin   (System/nanoTime)
        history (:history (history-file/read-file file))]
    (format "%d operations read back in %.1f s"
            (count history) (/ (- (System/nanoTime) begin) 1e9))))

(let [[operations & concurrencies] (or (seq (map parse-long *command-line-args*))
                                       [1000000 10 1000])
      file (File/createTempFile "interpreter" ".history")]
  (.setLevel ^Logger (LoggerFactory/getLogger "jepsen.print") Level/OFF)
  (try
    (doseq [concurrency concurrencies
            _           (range runs)]
      (println (measure operations concurrency file)))
    (println (read-back file))
    (finally (.delete file)))
  (shutdown-agents))
