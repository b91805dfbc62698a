(ns interregnum.checker.ids.counter
  "The ids of a table as the history of a counter with gaps, which must be
  linearizable: the second opinion on what `values/unique` and the functions of
  `order` check in their own way. The two must agree; if they do not, one of the
  checkers is wrong, and neither may decide."
  (:require [interregnum.checker.ids.report :as report]
            [interregnum.checker.linearizable :as linearizable])
  (:import (interregnum.check.ids CounterRecording)
           (interregnum.check.model IdCounter)
           (java.util List)))

(set! *warn-on-reflection* true)

(def same-promises
  "The invariants that a counter's history keeps if and only if it is linearizable."
  [:unique :real-time-order :session-order :floor])

(defn- described
  "The calls of the table that completed at `index`, as an operation map."
  [calls reigns index]
  (first (for [kind [:allocations :recovered :explicits :forced]
               ^interregnum.check.ids.Call call (kind calls)
               :when (= index (min Integer/MAX_VALUE (.complete call)))]
           (report/call-map reigns call))))

(defn- invalid
  "The result for a history with the `failure`."
  [calls reigns {:keys [ops why]}]
  (let [ops   (vec (keep #(described calls reigns (:index %)) ops))
        error {:ops ops
               :reason (report/sentence
                         "Of table" (:table (first ops))
                         (or why "what was acknowledged cannot be put in order"))}]
    {:valid? false, :reason (:reason error), :count 1, :first [error], :worst error}))

(defn linearizable
  "Whether the `calls` of one table, with the recovered inserts under `:recovered`,
  can be put in an order in which a counter that only goes up hands out their ids.
  Forced rebases lift it as explicit ids do."
  [calls reigns]
  (let [^List allocations (into (vec (:allocations calls)) (:recovered calls))
        ^List explicits   (into (vec (:explicits calls)) (:forced calls))]
    (if (and (.isEmpty allocations) (.isEmpty explicits))
      {:valid? true}
      (let [{:keys [valid? failures] :as analysis}
            (linearizable/analysis (IdCounter.) (CounterRecording/of allocations explicits))]
        (if (false? valid?)
          (invalid calls reigns (first failures))
          (select-keys analysis [:valid? :reason]))))))

(defn- broken
  [results]
  (filter #(false? (:valid? (results %))) same-promises))

(defn- in-doubt
  [result reason]
  (assoc result :valid? :unknown :reason reason))

(defn agreed
  "The `results` of a table, by invariant, if the result under `:linearizable` agrees
  with the others. If not, those that contradict it and itself are unknown, with the
  reason. A batch that has not the shape of one is no allocation of a counter at all,
  and excuses a contradiction."
  [results table]
  (let [search (:valid? (:linearizable results))
        broken (broken results)
        shapely? (true? (:valid? (:shape results)))]
    (cond
      (and (true? search) (seq broken) shapely?)
      (let [reason (report/sentence
                     "The checkers disagree about table" table "for its history is"
                     "linearizable, but violates" (name (first broken)))]
        (reduce #(update %1 %2 in-doubt reason) results (conj broken :linearizable)))

      (and (false? search) (empty? broken) shapely?)
      (update results :linearizable in-doubt
              (report/sentence
                "The checkers disagree about table" table
                "for its history violates no order but is not linearizable"))

      :else results)))
