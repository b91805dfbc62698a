(ns jepsen.checker.numbers
  "Checkers of generated ids and of counters."
  (:require [jepsen.history :as h]
            [jepsen.util :as util])
  (:import (java.util HashMap)))

(set! *warn-on-reflection* true)

(def ^:private duplicates-kept 48)

(defn unique-ids-result
  "The result of `jepsen.checker/unique-ids`."
  [history]
  (let [generates  (eduction (filter (h/has-f? :generate)) history)
        attempted  (reduce (fn [n _] (inc n)) 0
                           (eduction (filter h/invoke?) generates))
        acks       (into [] (comp (filter h/ok?) (map :value)) generates)
        duplicates (into {} (filter (fn [[_ n]] (< 1 n))) (frequencies acks))
        sorted     (when (seq acks) (sort util/poly-compare acks))]
    {:valid?             (empty? duplicates)
     :attempted-count    attempted
     :acknowledged-count (count acks)
     :duplicated-count   (count duplicates)
     :duplicated         (->> duplicates
                              (sort-by val >)
                              (take duplicates-kept)
                              (into (sorted-map-by util/poly-compare)))
     :range              [(first sorted) (last sorted)]}))

(defn- check-add
  [op]
  (let [n (:value op)]
    (assert (and (instance? Long n) (<= 0 (long n)))
            (str "A counter takes non-negative whole numbers: " (pr-str op)))
    n))

(defn- counter-step!
  "Takes one operation into account; state is [lower upper], the sums of the
  acknowledged and of the attempted additions. Reads go to `reads!`."
  [history ^HashMap open-reads reads! [lower upper :as state] op]
  (case [(:type op) (:f op)]
    [:invoke :add]
    (let [completion (h/completion history op)
          n          (check-add op)]
      (if (and completion (h/fail? completion))
        state
        [lower (+ upper n)]))

    [:ok :add]
    [(+ lower (check-add op)) upper]

    [:invoke :read]
    (do (.put open-reads (:process op) lower)
        state)

    [:ok :read]
    (do (reads! [(.get open-reads (:process op)) (:value op) upper])
        state)

    state))

(defn counter-result
  "The result of `jepsen.checker/counter`."
  [history]
  (let [reads   (volatile! (transient []))
        history (h/client-ops history)]
    (reduce (partial counter-step! history (HashMap.)
                     (fn [r] (vswap! reads conj! r)))
            [0 0]
            history)
    (let [reads  (persistent! @reads)
          errors (filterv (fn [[lower value upper]]
                            (not (<= lower value upper)))
                          reads)]
      {:valid? (empty? errors)
       :reads  reads
       :errors errors})))
