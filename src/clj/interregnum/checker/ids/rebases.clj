(ns interregnum.checker.ids.rebases
  "Forced rebases (ID-14). One that moves a counter down begins a new epoch, in
  which ids come again that were given out before. The invariants know of no
  epochs: they hold for tables whose forced rebases certainly went up."
  (:require [interregnum.checker.ids.report :as report])
  (:import (interregnum.check.ids Call)))

(set! *warn-on-reflection* true)

(def ^:private margin-steps
  "By how many ranges of ids a forced rebase has to exceed what was seen for the
  counter to have been below it: a range may go unused with each owner."
  10)

(defn- base
  [{:keys [invocation]}]
  (:base (:value invocation)))

(defn- reached
  "The values that the table's operations show or ask for, forced rebases aside,
  each with when it was invoked and complete, as indices: [[from to value] ...]."
  [calls]
  (concat
    (for [k [:allocations :explicits :recovered]
          ^Call call (k calls)]
      [(.invoke call) (.complete call) (.high call)])
    (for [{:keys [invocation]} (:unacked calls)
          :let [id (:id (:value invocation))]
          :when id]
      [(:index invocation) Long/MAX_VALUE id])))

(defn- end
  "The index of the event at which `force` had certainly taken effect, if it ever
  does: its acknowledgement, or that of an id above its base, whichever came first. It
  takes effect once."
  [calls {:keys [completion] :as force}]
  (transduce (comp (filter #(< (base force) (.high ^Call %)))
                   (map #(.complete ^Call %)))
             min
             (if (= :ok (:type completion)) (:index completion) Long/MAX_VALUE)
             (:allocations calls)))

(defn- rival
  "The base of one of `others` that may have come before `force` and is not below it,
  or that may have come before or after it; or nil."
  [others force]
  (some (fn [other]
          (when (and (< (:from other) (:to force))
                     (or (<= (:base force) (:base other))
                         (< (:from force) (:to other))))
            (:base other)))
        others))

(defn- in-the-way
  "A value above the base that was reached before `force`, or one that may have been
  and is so close below the base that the counter may have been above it; or nil. A
  larger one that ran at the same time came after it."
  [values step {:keys [base from to]}]
  (let [low (- base (* margin-steps step))]
    (some (fn [[began ended value]]
            (when (if (< base value)
                    (< ended from)
                    (and (< began to) (< low value)))
              value))
          values)))

(defn doubt
  "A sentence about a forced rebase of a table that may have moved its counter down,
  or nil. `step` is how many ids an owner reserves at a time."
  [{:keys [forces] :as calls} step]
  (let [values (when (seq forces) (reached calls))
        spans  (mapv (fn [{:keys [invocation] :as force}]
                       {:base (base force), :from (:index invocation)
                        :to (end calls force), :table (:table (:value invocation))})
                     forces)]
    (some (fn [span]
            (when-let [other (or (rival (remove #(identical? span %) spans) span)
                                 (in-the-way values step span))]
              (report/sentence "A forced rebase to" (:base span) "of table" (:table span)
                               "may have moved the counter down, as" other
                               "may have been reached before")))
          spans)))
