(ns jepsen.checker.clock
  "Plot of the nodes' clocks over a run."
  (:require [jepsen.checker.chart :as chart]
            [jepsen.store :as store]))

(set! *warn-on-reflection* true)

(defn- offsets
  "Map of node to points [seconds, offset in seconds]."
  [history]
  (reduce (fn [points op]
            (reduce-kv (fn [points node offset]
                         (update points (str node) (fnil conj [])
                                 [(chart/secs op) offset]))
                       points
                       (:clock-offsets op)))
          (sorted-map)
          (filter :clock-offsets history)))

(defn plot!
  "Writes clock-skew.png, from the `:clock-offsets` of operations."
  [test history opts]
  (chart/draw! (store/path! test (:subdirectory opts) "clock-skew.png")
               {:title   (str (:name test) " clock skew")
                :y-label "Skew (s)"
                :lines?  true
                :series  (for [[node points] (offsets history)]
                           {:label node, :points points})
                :nemeses (or (:nemeses opts) (:nemeses (:plot test)))
                :history history}))
