(ns interregnum.nemesis.paced
  "A generator for one fault family: its operations with pauses between them.

  The pauses count from the completion of the family's last operation, so a fault
  lasts as long as it should however long the nemesis took to inject it; and they
  do not occupy the nemesis, so families do not wait for each other's pauses."
  (:require [jepsen.generator :as gen])
  (:import (java.util ArrayList Collection Collections Random SplittableRandom)))

(set! *warn-on-reflection* true)

(defn- nanos
  [secs]
  (long (* secs 1000000000)))

;; `due` is when step `i` may go out, nil while the one before runs; `events`
;; counts the invocation and completion of the latter.
(defrecord Paced [step i due events]
  gen/Generator
  (op [this _ context]
    (if (nil? due)
      [:pending this]
      (when-let [{:keys [op]} (step i)]
        (let [op (gen/fill-in-op op context)]
          (if (= :pending op)
            [:pending this]
            [(assoc op :time (max due (:time context)))
             (->Paced step (inc i) nil 0)])))))

  (update [this _ _ event]
    (cond (or due (not= :nemesis (:process event))) this
          (zero? events) (assoc this :events 1)
          :else (assoc this :due (+ (:time event)
                                    (nanos (:after (step i) 0)))))))

(defn paced
  "Operations with pauses: `step` is a function of 0, 1, 2... to nil, which is the
  end, or to

    :after  seconds between the completion of the step before, or the start of
            the run, and this one
    :op     an operation for the nemesis"
  [step]
  (->Paced step 0 (nanos (:after (step 0) 0)) 0))

(defn- next-member
  "The index of the member that may go first at `time`, or nil: one that has not gone
  yet and is due, else the one that has waited longest."
  [members time]
  (->> (range (count members))
       (filter #(let [{:keys [step i due]} (members %)]
                  (and due (step i))))
       (sort-by #(let [{:keys [i due]} (members %)]
                   [(not (and (zero? i) (<= due time))) due]))
       first))

(defrecord Fair [members]
  gen/Generator
  (op [this test context]
    (if-let [k (next-member members (:time context))]
      (let [[op member] (gen/op (members k) test context)]
        [op (assoc-in this [:members k] member)])
      (when (some (comp nil? :due) members)
        [:pending this])))

  (update [_ test context event]
    (->Fair (mapv #(gen/update % test context event) members))))

(defn fair
  "Several `paced` generators that share the nemesis: whichever has waited longest
  goes first, so that none starves when operations take longer than the pauses; and
  none goes again while another one is due that never went.
  Nil if there are none."
  [members]
  (when (seq members)
    (->Fair (vec members))))

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

(defn shuffled
  "The vector `xs` in an order that follows from `seed` and `what`."
  [seed what xs]
  (let [copy (ArrayList. ^Collection xs)]
    (Collections/shuffle copy (Random. (hash [seed what])))
    (vec copy)))

(defn pause
  "Seconds before step `i`, which injects a fault: `:first-after` for the first, so
  that families begin one after another; then about `:interval`."
  [{:keys [first-after interval]} random i]
  (if (zero? i)
    first-after
    (between random (* 1/4 interval) interval)))
