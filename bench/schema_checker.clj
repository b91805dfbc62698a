(ns schema-checker
  "Times the schema checkers on a history of 200,000 operations, each with its
  completion. In the checkout, after a build:

    java -Xmx1g -cp src/clj:src/engine:target/classes:$(cat target/classpath) clojure.main bench/schema_checker.clj

  Prints the time of each of a few runs in the same JVM; the first one is what a
  test run pays."
  (:require [interregnum.checker.schema :as schema]
            [jepsen.history :as h])
  (:import (java.lang.management ManagementFactory)
           (java.util SplittableRandom)))

(def nodes ["n1" "n2" "n3"])
(def processes 20)

(def table-life
  "Operations on a table before it is dropped, and tries afterwards."
  {:used 1500, :gone 500})

(def tables-at-once 4)

(defn- table-name
  [slot generation]
  (str "t" slot "_" generation))

(defn- use-table
  "The `i`-th operation on a table that is there: `[f value]`, with an id that
  is used once."
  [^SplittableRandom random table i]
  (let [id (str table "-" i)]
    (case (.nextInt random 5)
      0 [:select {:table table}]
      1 [:txn {:table table, :rows [[(str id "a") i] [(str id "b") (inc i)]]}]
      2 [:select-column {:table table, :column (str table "_c")}]
      [:insert {:table table, :id id, :v i}])))

(defn- life
  "What happens to the tables of one slot, in order: `[f value error]`."
  [random slot]
  (for [generation (range)
        :let [table (table-name slot generation)
              column (str table "_c")]
        step (concat
               [[:create {:table table}]
                [:add-column {:table table, :column column}]]
               (map #(use-table random table %) (range (:used table-life)))
               [[:drop {:table table}]]
               (repeat (:gone table-life)
                       [:select {:table table} {:type :no-such-table}]))]
    step))

(defn- call
  "Invocation and completion of `[f value error]`, the `i`-th call."
  [i [f value error]]
  (let [process (mod i processes)
        node (nodes (mod i (count nodes)))]
    [{:process process, :type :invoke, :f f, :value value}
     (if error
       {:process process, :type :fail, :f f, :value value
        :error (assoc error :node node)}
       {:process process, :type :ok, :f f, :value (assoc value :node node)})]))

(defn- rows-of
  "Map table → rows that the calls have written and no drop has taken away."
  [calls]
  (reduce (fn [tables [f {:keys [table id v rows]} error]]
            (cond
              error tables
              (= :create f) (assoc tables table [])
              (= :drop f) (dissoc tables table)
              (= :insert f) (update tables table conj [id v])
              (= :txn f) (update tables table into rows)
              :else tables))
          {} calls))

(defn- final-calls
  "Probes and dumps of all nodes."
  [tables]
  (concat
    (for [[i node] (map-indexed vector nodes)]
      [:probe {:table (str "probe" i), :node node}])
    (for [_ nodes]
      [:dump {:asked (vec (keys tables))
              :tables (update-vals tables
                                   (fn [rows]
                                     {:rows rows, :index-rows {"i" rows}
                                      :columns ["id" "v"], :indexes ["i"]}))}])))

(defn history
  "A valid history of `n` operations: tables that come, are used by all nodes,
  go, and are looked for in vain; a look inside now and then; and a dump of every
  node in the end."
  [n seed]
  (let [random (SplittableRandom. seed)
        slots (mapv #(life random %) (range tables-at-once))
        calls (vec (take n (apply interleave slots)))
        inside (fn [i] [:inside {:version i, :hash (str i)}])
        looked (mapcat (fn [i call]
                         (if (zero? (mod i 100)) [call (inside i)] [call]))
                       (range) calls)
        all (concat looked (final-calls (rows-of calls)))]
    (h/history
      (map-indexed #(assoc %2 :index %1 :time (* 1000 (long %1)))
                   (mapcat call (range) all)))))

(defn- load-average
  []
  (.getSystemLoadAverage (ManagementFactory/getOperatingSystemMXBean)))

(defn- processor-nanos
  "Processor time of this thread: what a busy machine does not distort."
  []
  (.getCurrentThreadCpuTime (ManagementFactory/getThreadMXBean)))

(defn -main
  "Runs the benchmark."
  []
  (let [history (history 200000 45100)]
    (dotimes [_ 5]
      (System/gc)
      (let [start (System/nanoTime)
            processor (processor-nanos)
            result (schema/analysis nodes history)
            busy (quot (- (processor-nanos) processor) 1000000)
            millis (quot (- (System/nanoTime) start) 1000000)
            used (- (.totalMemory (Runtime/getRuntime))
                    (.freeMemory (Runtime/getRuntime)))]
        (println (quot (count history) 2) "operations:" millis "ms, of them processor time" busy "ms, verdict"
                 (:valid? result) (or (:reason result) "")
                 "heap in use" (quot used 1000000) "MB, load average"
                 (load-average))))))

(-main)
