(ns jepsen.history.source
  "Sources: where the operations of a history come from.

  A position counts the operations of a source; an index is the :index of an operation. The views
  here refer to another source and copy no operation."
  (:import (java.util ArrayList)))

(set! *warn-on-reflection* true)

;; at           the operation at a position
;; byIndex      the operation with an index, or nil
;; dense        do indices equal positions?
;; pair         the index of the counterpart of the operation with an index, or -1
;; reduceRange  reduces the operations of [start, end); the result may be `reduced`
(definterface Source
  (^long size [])
  (^Object at [^long position])
  (^Object byIndex [^long index])
  (^boolean dense [])
  (^long pair [^long index])
  (^Object reduceRange [^long start ^long end f init]))

(deftype MapSource [^Source parent f]
  Source
  (size [_] (.size parent))
  (at [_ position] (f (.at parent position)))
  (byIndex [_ index] (when-some [op (.byIndex parent index)] (f op)))
  (dense [_] (.dense parent))
  (pair [_ index] (.pair parent index))
  (reduceRange [_ start end g init]
    (.reduceRange parent start end (fn [acc op] (g acc (f op))) init)))

(defn map-source
  "A view of the source `parent` with each operation replaced by its value under `f`."
  ^Source [parent f]
  (MapSource. parent f))

(defn- matching-positions
  "An array of the positions in `source` of the operations for which `pred` is truthy."
  ^ints [^Source source pred]
  (let [found (ArrayList.)]
    (.reduceRange source 0 (.size source)
                  (fn [position op]
                    (when (pred op)
                      (.add found position))
                    (inc (long position)))
                  0)
    (int-array found)))

(deftype FilterSource [^Source parent pred positions]
  Source
  (size [_] (alength ^ints @positions))
  (at [_ position] (.at parent (aget ^ints @positions (int position))))
  (byIndex [_ index]
    (when-some [op (.byIndex parent index)]
      (when (pred op) op)))
  (dense [_] false)
  (pair [this index]
    (let [other (.pair parent index)]
      (if (or (neg? other) (nil? (.byIndex this other))) -1 other)))
  (reduceRange [_ start end f init]
    (let [^ints positions @positions
          end             (int end)]
      (loop [i (int start), acc init]
        (if (< i end)
          (let [acc (f acc (.at parent (aget positions i)))]
            (if (reduced? acc) acc (recur (inc i) acc)))
          acc)))))

(defn filter-source
  "A view of the operations of the source `parent` for which `pred` is truthy. The predicate is
  called on all of them once, when their number or an element is first needed."
  ^Source [parent pred]
  (FilterSource. parent pred (delay (matching-positions parent pred))))
