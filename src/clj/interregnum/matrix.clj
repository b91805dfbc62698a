(ns interregnum.matrix
  "Workloads × nemeses: which cells there are, running them one after the other,
  and what came of each.

  A *cell* is

    :workload  name
    :nemesis   name, as the --nemesis option takes it
    :repeat    0, 1, ... which of the cell's runs

  and an *outcome* is the cell with

    :outcome   :valid, :invalid, :unknown or :crashed
    :reason    one sentence
    :counts    {:ok :fail :info}, client operations by type
    :seconds   how long the run took
    :path      its store directory, or nil"
  (:require [clojure.string :as str]
            [jepsen.history :as h]))

(set! *warn-on-reflection* true)

(defn- matches?
  "Does `pattern`, \"workload\", \"workload/nemesis\" or \"/nemesis\", name `cell`?"
  [pattern {:keys [workload nemesis]}]
  (let [[w n] (str/split pattern #"/" 2)]
    (and (or (str/blank? w) (= w workload))
         (or (str/blank? n) (= n nemesis)))))

(defn cells
  "The cells of `workloads` × `nemeses`, each `test-count` times, in order.
  `only` and `skip` are collections of patterns, see `matches?`; an empty `only`
  means all."
  [{:keys [workloads nemeses test-count only skip]}]
  (for [workload workloads
        nemesis nemeses
        i (range test-count)
        :let [cell {:workload workload, :nemesis nemesis, :repeat i}]
        :when (and (or (empty? only) (some #(matches? % cell) only))
                   (not-any? #(matches? % cell) skip))]
    cell))

(defn unknown-patterns
  "Those of `patterns` that name no cell of `all-cells`."
  [patterns all-cells]
  (remove (fn [pattern] (some #(matches? pattern %) all-cells)) patterns))

(def ^:private outcome-of
  {true :valid, false :invalid, :unknown :unknown})

(defn- reason
  "The most telling reason in `results`: a checker's own, or that of the first of
  its parts that shares its verdict."
  [{:keys [valid? reason error] :as results}]
  (or reason
      (some (fn [part]
              (when (and (map? part) (= valid? (:valid? part)))
                (:reason part)))
            (vals results))
      (some-> error str)
      ""))

(defn- counts
  [history]
  (merge {:ok 0, :fail 0, :info 0}
         (frequencies (map :type (remove h/invoke? (filter h/client-op? history))))))

(defn- describe
  "What a finished test says of its cell."
  [{:keys [results history store-path]}]
  {:outcome (outcome-of (:valid? results) :unknown)
   :reason (reason results)
   :counts (counts history)
   :path store-path})

(defn- crashed
  [^Throwable t]
  {:outcome :crashed
   :reason (str (.getSimpleName (class t)) ": " (ex-message t))
   :counts {:ok 0, :fail 0, :info 0}
   :path nil})

(defn run-cell!
  "Runs `cell` by `(run-test! cell)`, which returns the finished test with
  :results, :history and :store-path; its outcome. An exception makes it crashed;
  `now-nanos` tells the time."
  [run-test! now-nanos cell]
  (let [start (now-nanos)
        found (try (describe (run-test! cell))
                   (catch Exception e (crashed e)))]
    (merge cell found {:seconds (/ (- (now-nanos) start) 1e9)})))

(def exit-codes
  "What an outcome means for the exit code, the gravest first."
  [[:invalid 1] [:unknown 2] [:crashed 255]])

(defn exit-code
  "The exit code of `outcomes`: invalid before unknown before crashed."
  [outcomes]
  (let [seen (into #{} (map :outcome) outcomes)]
    (or (some (fn [[outcome code]] (when (seen outcome) code)) exit-codes)
        0)))
