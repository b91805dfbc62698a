(ns jepsen.checker
  "Checkers: pure functions from a history to a verdict.

  A result is a map with `:valid?`: true, false, or :unknown when the history
  does not tell. Whatever else it holds says why."
  (:refer-clojure :exclude [flatten set])
  (:require [clojure.java.io :as io]
            [clojure.tools.logging :refer [warn]]
            [jepsen.checker.numbers :as numbers]
            [jepsen.checker.queues :as queues]
            [jepsen.checker.sets :as sets]
            [jepsen.history :as h]
            [jepsen.util :as util]
            [jepsen.vars :as vars])
  (:import (java.util.concurrent Semaphore)))

(set! *warn-on-reflection* true)

(defprotocol Checker
  "Judges histories."
  (check [checker test history opts]
    "Returns a result: a map with `:valid?`. Options may have
    :subdirectory, a list of folders below the test's for files that the
    checker writes, and :history-key, the key whose part of an independent
    history this is."))

(def valid-priorities
  "Of several verdicts the one with the highest number holds."
  {true 0, :unknown 0.5, false 1})

(defn merge-valid
  "The verdict over several verdicts: false over unknown over true. Throws
  IllegalArgumentException for anything that is no verdict."
  [valids]
  (reduce (fn [a b]
            (when-not (contains? valid-priorities b)
              (throw (IllegalArgumentException.
                      (str "Not a verdict: " (pr-str b)))))
            (if (< (valid-priorities a) (valid-priorities b)) b a))
          true
          valids))

(defn check-safe
  "Like `check`, but an exception gives `{:valid? :unknown :error e}`, with
  `e` as a map."
  ([checker test history]
   (check-safe checker test history {}))
  ([checker test history opts]
   (try
     (check checker test history opts)
     (catch Exception e
       (warn e "Error while checking history:" (ex-message e))
       {:valid? :unknown
        :error  (Throwable->map e)}))))

(defrecord Compose [checkers]
  Checker
  (check [_ test history opts]
    (let [results (util/real-pmap (fn [[k c]]
                                    [k (check-safe c test history opts)])
                                  checkers)]
      (assoc (into {} results)
             :valid? (merge-valid (map (comp :valid? second) results))))))

(defn compose
  "A checker of a map of names to checkers, run in parallel. The result has
  theirs under the same names, and their merged verdict."
  [checkers]
  (Compose. checkers))

(defn flatten
  "A composed checker whose checkers that are composed themselves (only that
  named `k`, if given) give up their place to their own checkers."
  ([composed]
   (compose (into {} (mapcat (fn [[k c]]
                               (if (instance? Compose c) (:checkers c) [[k c]])))
                  (:checkers composed))))
  ([composed k]
   (let [inner (get (:checkers composed) k)]
     (compose (merge (dissoc (:checkers composed) k) (:checkers inner))))))

(defrecord ConcurrencyLimit [^Semaphore semaphore checker]
  Checker
  (check [_ test history opts]
    (.acquire semaphore)
    (try
      (check checker test history opts)
      (finally
        (.release semaphore)))))

(defn concurrency-limit
  "A checker of which at most `n` run at a time: for those that need much
  memory."
  [n checker]
  (ConcurrencyLimit. (Semaphore. n true) checker))

(defn noop
  "A checker without a result."
  []
  (reify Checker
    (check [_ _test _history _opts])))

(defn unbridled-optimism
  "Everything is fine."
  []
  (reify Checker
    (check [_ _test _history _opts]
      {:valid? true})))

;;; Counts of completions

(defn- with-verdict
  [{:keys [ok fail info]}]
  {:valid?     (pos? ok)
   :count      (+ ok fail info)
   :ok-count   ok
   :fail-count fail
   :info-count info})

(defn- count-types
  "Map of :f to {:ok :fail :info} of the clients' completions."
  [history]
  (reduce (fn [counts op]
            (let [type (:type op)]
              (if (or (identical? :invoke type) (not (h/client-op? op)))
                counts
                (let [f (:f op)
                      c (get counts f {:ok 0, :fail 0, :info 0})]
                  (assoc counts f (assoc c type (inc (get c type))))))))
          {}
          history))

(defn stats
  "Counts the clients' completions by type and by :f. An :f of which nothing
  ever succeeded is invalid."
  []
  (reify Checker
    (check [_ _test history _opts]
      (let [counts (count-types history)
            by-f   (into (sorted-map-by util/poly-compare)
                         (update-vals counts with-verdict))]
        (assoc (with-verdict (apply merge-with + {:ok 0, :fail 0, :info 0}
                                    (vals counts)))
               :by-f   by-f
               :valid? (merge-valid (map :valid? (vals by-f))))))))

(defn- exception-class
  [op]
  (:type (first (:via (:exception op)))))

(defn unhandled-exceptions
  "Lists the exceptions that made operations indeterminate, most frequent
  first. Always valid."
  []
  (reify Checker
    (check [_ _test history _opts]
      (let [groups (->> history
                        (eduction (filter h/info?) (filter :exception))
                        (group-by exception-class)
                        (sort-by (comp - count val)))]
        (cond-> {:valid? true}
          (seq groups)
          (assoc :exceptions (mapv (fn [[class ops]]
                                     {:count   (count ops)
                                      :class   class
                                      :example (first ops)})
                                   groups)))))))

;;; Data types

(defmacro ^:private defchecker
  "Defines a checker without options whose result is `(f history)`."
  [name doc f]
  `(defn ~name
     ~doc
     []
     (reify Checker
       (check [~'_ ~'_test history# ~'_opts]
         (~f history#)))))

(defchecker set
  "Operations :add an element, and :read all. Every element whose addition
  was acknowledged must be in the last read, and nothing that was never
  added. What was lost, recovered and so on is listed by intervals."
  sets/set-result)

(defn set-full
  "Follows each element of a set through all reads: when it was known to be
  there, and whether later reads had it. Elements that come to stay are
  stable, those that vanish are lost. With `:linearizable? true`, elements
  must also be seen at once."
  ([]
   (set-full {:linearizable? false}))
  ([opts]
   (reify Checker
     (check [_ _test history _opts]
       (sets/set-full-result opts history)))))

(defn queue
  "Runs a queue model over all enqueues, from their invocation, and all
  acknowledged dequeues, in the history's order."
  [model]
  (reify Checker
    (check [_ _test history _opts]
      (queues/queue-result model history))))

(defchecker total-queue
  "What goes in must come out. Needs the queue to be drained at the end."
  queues/total-queue-result)

(defchecker unique-ids
  "Every value of an acknowledged :generate must be different."
  numbers/unique-ids-result)

(defchecker counter
  "Operations :add a number, never negative, and :read the sum. Reads must
  lie between the sum of the acknowledged additions and that of the
  attempted ones."
  numbers/counter-result)

;;; Linearizability

(def ^:private paths-kept
  "Counterexamples are often too many to write down."
  10)

(defn- analysis
  [{:keys [model algorithm]} history]
  (let [f (vars/late (case algorithm
                       :linear 'knossos.linear/analysis
                       :wgl    'knossos.wgl/analysis
                       'knossos.competition/analysis))]
    (f model history)))

(defn- cut
  [result k]
  (cond-> result
    (contains? result k) (update k #(take paths-kept %))))

(defn- draw!
  "Draws an invalid analysis; a picture that fails is only logged."
  [test history {:keys [subdirectory]} result]
  (try
    (let [render! (vars/late 'knossos.linear.report/render-analysis!)
          path!   (vars/late 'jepsen.store/path!)]
      (render! history result (path! test subdirectory "linear.svg")))
    (catch Exception e
      (warn e "The picture of the counterexample could not be drawn"))))

(defn linearizable
  "Checks against a single-threaded model, by search. Options:

    :model      the model (needed)
    :algorithm  :wgl, :linear, or by default both at once

  What makes a history invalid is drawn to linear.svg."
  [{:keys [model] :as opts}]
  (assert model "linearizable needs a :model")
  (reify Checker
    (check [_ test history check-opts]
      (let [result (-> (analysis opts (h/client-ops history))
                       (cut :final-paths)
                       (cut :configs))]
        (when (false? (:valid? result))
          (draw! test history check-opts result))
        result))))

;;; Log files

(defn- matching-lines
  [pattern file]
  (if-not (.exists (io/file file))
    []
    (with-open [r (io/reader file)]
      (filterv #(re-find pattern %) (line-seq r)))))

(defn log-file-pattern
  "Looks for a regular expression in a log file of every node, given by its
  name in the store. Any match is invalid; a missing file has none."
  [pattern filename]
  (let [pattern (re-pattern pattern)
        path    (delay (vars/late 'jepsen.store/path))]
    (reify Checker
      (check [_ test _history _opts]
        (let [matches (vec (for [node (:nodes test)
                                 line (matching-lines
                                       pattern
                                       (@path test node filename))]
                             {:node node, :line line}))]
          {:valid?  (empty? matches)
           :count   (count matches)
           :matches matches})))))

;;; Plots

(defn latency-graph
  "Plots the latency of operations: each one, and quantiles over time."
  ([] (latency-graph {}))
  ([opts]
   (reify Checker
     (check [_ test history check-opts]
       ((vars/late 'jepsen.checker.perf/latency-graphs!)
        test history (merge opts check-opts))
       {:valid? true}))))

(defn rate-graph
  "Plots the rate of operations over time."
  ([] (rate-graph {}))
  ([opts]
   (reify Checker
     (check [_ test history check-opts]
       ((vars/late 'jepsen.checker.perf/rate-graph!)
        test history (merge opts check-opts))
       {:valid? true}))))

(defn perf
  "Plots latencies and rates. Options: :nemeses, a set of perf specs that say
  when which fault was active."
  ([] (perf {}))
  ([opts]
   (compose {:latency-graph (latency-graph opts)
             :rate-graph    (rate-graph opts)})))

(defn clock-plot
  "Plots the clock offsets that nemesis operations report."
  []
  (reify Checker
    (check [_ test history opts]
      ((vars/late 'jepsen.checker.clock/plot!) test history opts)
      {:valid? true})))
