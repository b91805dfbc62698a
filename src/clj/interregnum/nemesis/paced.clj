(ns interregnum.nemesis.paced
  "A generator for one fault family: its operations with pauses between them.

  The pauses count from the completion of the family's last operation, so a fault
  lasts as long as it should however long the nemesis took to inject it; and they
  do not occupy the nemesis, so families do not wait for each other's pauses."
  (:require [jepsen.generator :as gen])
  (:import (java.util SplittableRandom)))

(set! *warn-on-reflection* true)

(defn- nanos
  [secs]
  (long (* secs 1000000000)))

;; `due` is when the next step may go out, nil while the last one runs; `events`
;; counts the invocation and completion of the last one.
(defrecord Paced [steps due events]
  gen/Generator
  (op [this _ context]
    (cond (empty? steps) nil
          (nil? due)     [:pending this]
          :else
          (let [op (gen/fill-in-op (:op (first steps)) context)]
            (if (= :pending op)
              [:pending this]
              [(assoc op :time (max due (:time context)))
               (->Paced (rest steps) nil 0)]))))

  (update [this _ _ event]
    (cond (or due (not= :nemesis (:process event))) this
          (zero? events) (assoc this :events 1)
          :else (assoc this :due (+ (:time event)
                                    (nanos (:after (first steps) 0)))))))

(defn paced
  "Operations with pauses: `steps` is a sequence, which may be endless, of

    :after  seconds between the completion of the step before, or the start of
            the run, and this one
    :op     an operation for the nemesis"
  [steps]
  (->Paced steps (nanos (:after (first steps) 0)) 0))

(defn random
  "A source of random numbers for step `i` of the family `family`."
  ^SplittableRandom [seed family i]
  (SplittableRandom. (hash [seed family i])))

(defn between
  "A number between `low` and `high`."
  [^SplittableRandom random low high]
  (+ low (* (.nextDouble random) (- high low))))

(defn pick
  "One of the elements of the vector `xs`."
  [^SplittableRandom random xs]
  (nth xs (.nextInt random (int (count xs)))))
