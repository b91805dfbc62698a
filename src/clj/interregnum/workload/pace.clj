(ns interregnum.workload.pace
  "When clients call: how workloads that strike owners spread their operations over
  threads and time."
  (:require [jepsen.generator :as gen]))

(set! *warn-on-reflection* true)

(defn- patient-threads
  "How many threads call seldom, the same number for each node."
  [{:keys [nodes concurrency]}]
  (let [n (count nodes)]
    (* n (quot (* 3 (quot concurrency n)) 4))))

(def patient-secs
  "How long a patient thread waits between two calls, about: longer than it takes
  to depose an owner that does not answer."
  4)

(defn patient
  "The operations `busy`, which have their own pace, by one of four threads of each
  node, and `ops` by the others, which call seldom: while the busy threads hang on a
  node that does not answer, these call it long after it stopped. A deposed owner
  that does not know it does harm to them."
  [opts ops busy]
  (let [threads (patient-threads opts)]
    (if (pos? threads)
      (gen/reserve threads (gen/stagger (/ patient-secs threads) ops)
                   busy)
      busy)))

(defn until-ok
  "The operations `ops`, at most two a second, until one succeeds."
  [ops]
  (gen/until-ok (gen/delay 1/2 ops)))

(defn on-every-node
  "What `f` makes of a thread's number, by one thread of each node."
  [nodes f]
  (apply gen/any (for [thread (range (count nodes))]
                   (gen/on-threads #{thread} (f thread)))))
