(ns jepsen.txn.micro-op
  "Micro-operations: the steps of a transaction, vectors of a function, a key and a value.

    [:r 3 nil]   reads key 3
    [:w 3 1]     writes 1 to key 3"
  (:refer-clojure :exclude [key]))

(set! *warn-on-reflection* true)

(defn f "The function of the micro-operation `mop`." [mop] (nth mop 0))
(defn key "The key of the micro-operation `mop`." [mop] (nth mop 1))
(defn value "The value of the micro-operation `mop`." [mop] (nth mop 2))
(defn read? "True if the micro-operation `mop` is a read." [mop] (identical? :r (f mop)))
(defn write? "True if the micro-operation `mop` is a write." [mop] (identical? :w (f mop)))

(defn op?
  "True if `x` is a micro-operation."
  [x]
  (and (sequential? x)
       (= 3 (count x))
       (contains? #{:r :w} (f x))))
