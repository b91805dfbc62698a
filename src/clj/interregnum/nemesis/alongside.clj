(ns interregnum.nemesis.alongside
  "Load that lasts as long as the faults do."
  (:require [jepsen.generator :as gen]))

(set! *warn-on-reflection* true)

(defn- op?
  [x]
  (and x (not= :pending x)))

(defrecord Alongside [load faults]
  gen/Generator
  (op [_ test context]
    (when-let [[fault faults'] (gen/op faults test context)]
      (let [[call load'] (gen/op load test context)]
        (cond
          (and (op? fault)
               (or (not (op? call)) (<= (:time fault) (:time call))))
          [fault (->Alongside load faults')]

          (op? call)
          [call (->Alongside load' faults)]

          :else
          [:pending (->Alongside load' faults')]))))

  (update [_ test context event]
    (->Alongside (gen/update load test context event)
                 (gen/update faults test context event))))

(defn alongside
  "Operations of the generators `load` and `faults`, whichever comes first, until
  `faults` is exhausted."
  [load faults]
  (->Alongside load faults))
