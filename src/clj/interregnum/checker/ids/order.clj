(ns interregnum.checker.ids.order
  "Ids against the order of calls: session order (ID-3), real-time order (ID-4),
  floors set by explicit inserts (ID-5) and reads of the next id (ID-9).

  Each takes the calls of one table, as `calls/tables` gives them with the
  recovered inserts under `:recovered`, and the reigns for the report."
  (:refer-clojure :exclude [peek])
  (:require [interregnum.checker.ids.report :as report])
  (:import (interregnum.check.ids OrderSweep)
           (java.util List)))

(set! *warn-on-reflection* true)

(defn- too-low
  "The sentence about a `later` call that went below `earlier`."
  [{:keys [earlier later]}]
  (let [table (:table later)]
    (report/sentence
      (report/who later) "got" (report/what later) "of table" table
      "although" (report/what earlier) "had been acknowledged to"
      (report/who earlier) "before it asked")))

(defn- real-time-sweep
  [reigns ^List earlier ^List later]
  (report/findings reigns
                   (OrderSweep/realTime earlier later report/kept-count)
                   too-low))

(defn- implicit
  "Implicit inserts whose ids are known, acknowledged or not."
  [calls]
  (into (vec (:allocations calls)) (:recovered calls)))

(defn session
  "ID-3: the ids that one process gets increase."
  [calls reigns]
  (report/findings reigns
                   (OrderSweep/session (:allocations calls) report/kept-count)
                   too-low))

(defn real-time
  "ID-4: an insert invoked after another one was acknowledged, on whatever node,
  gets larger ids."
  [calls reigns]
  (real-time-sweep reigns (:allocations calls) (implicit calls)))

(defn floor
  "ID-5: an insert invoked after an explicit id or a forced rebase was acknowledged
  gets larger ids."
  [calls reigns]
  (report/sum
    (map #(real-time-sweep reigns (% calls) (implicit calls))
         [:explicits :forced])))

(defn peek
  "ID-9: a read of the next id exceeds every id acknowledged before it, and
  inserts invoked after it do not go below what it said."
  [calls reigns]
  (report/sum
    (cons (real-time-sweep reigns (:peeks calls) (implicit calls))
          (map #(real-time-sweep reigns (% calls) (:peeks calls))
               [:allocations :explicits :peeks]))))
