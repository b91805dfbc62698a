(ns jepsen.checker.perf
  "Plots of latencies and rates over a run."
  (:require [jepsen.checker.chart :as chart]
            [jepsen.history :as h]
            [jepsen.store :as store]
            [jepsen.util :as util])
  (:import (java.util Arrays HashMap HashSet)))

(set! *warn-on-reflection* true)

(def ^:private quantiles
  "Quantiles of latency, and their colours."
  {0.5 "#81BFFC", 0.95 "#FFA400", 0.99 "#FF1E90", 1 "#909090"})

(def ^:private windows
  "A run is cut into at least so many windows, if it is short."
  20)

(def ^:private quantile-window-secs-max 30)
(def ^:private rate-window-secs-max 10)

;;; Points

(defn- raw-latencies
  "Map of [f type] to points [seconds, milliseconds] of the clients'
  operations. Of points that would fall on the same spot only one is kept, so
  that long runs can be drawn."
  [history duration]
  (let [columns (max 1e-9 (/ (double duration) 1800))
        seen    (HashMap.)]
    (reduce
     (fn [points invoke]
       (if-let [op (h/completion history invoke)]
         (let [k    [(:f invoke) (:type op)]
               t    (double (chart/secs invoke))
               ms   (max 1e-3 (/ (- (long (:time op)) (long (:time invoke)))
                                 1e6))
               spot [(long (/ t columns)) (long (* 100 (Math/log10 ms)))]
               spots (or (.get seen k)
                         (let [s (HashSet.)] (.put seen k s) s))]
           (if (.add ^HashSet spots spot)
             (update points k (fnil conj []) [t ms])
             points))
         points))
     (sorted-map-by util/poly-compare)
     (h/filter (every-pred h/client-op? h/invoke?) history))))

(defn- duration-secs
  [history]
  (let [n (count history)]
    (if (zero? n)
      0.0
      (double (chart/secs (nth history (dec n)))))))

(defn- window-secs
  [duration max-secs]
  (max 0.1 (min (double max-secs) (/ (double duration) (long windows)))))

(defn- quantile-points
  "Map of quantile to points [seconds, milliseconds], from a map of window
  number to latencies in milliseconds."
  [window-secs latencies]
  (reduce (fn [points [window ms]]
            (let [sorted (double-array ms)
                  n      (alength sorted)]
              (Arrays/sort sorted)
              (reduce (fn [points q]
                        (let [i (min (dec n) (long (* n (double q))))]
                          (update points q (fnil conj [])
                                  [(* window-secs (+ 0.5 (long window)))
                                   (aget sorted i)])))
                      points
                      (keys quantiles))))
          {}
          (sort-by key latencies)))

(defn- latencies-by-window
  "Map of window number to the latencies, in milliseconds, of the operations
  that were acknowledged in it."
  [history window-secs]
  (persistent!
   (reduce (fn [m op]
             (if-let [invoke (h/invocation history op)]
               (let [w  (long (/ (double (chart/secs invoke))
                                 (double window-secs)))
                     ms (/ (- (long (:time op)) (long (:time invoke))) 1e6)]
                 (assoc! m w (conj (get m w []) (max 1e-3 ms))))
               m))
           (transient {})
           (h/filter (every-pred h/client-op? h/ok?) history))))

(defn- rates
  "Map of [f type] to points [seconds, operations per second]."
  [history window-secs]
  (let [counts (reduce (fn [m op]
                         (let [w (long (/ (double (chart/secs op))
                                          (double window-secs)))]
                           (update-in m [[(:f op) (:type op)] w]
                                      (fnil inc 0))))
                       {}
                       (h/filter (every-pred h/client-op?
                                             (complement h/invoke?))
                                 history))]
    (into (sorted-map-by util/poly-compare)
          (map (fn [[k by-window]]
                 [k (for [w (range (inc (long (apply max (keys by-window)))))]
                      [(* window-secs (+ 0.5 (long w)))
                       (/ (get by-window w 0) window-secs)])]))
          counts)))

;;; Plots

(defn- nemeses
  [test opts]
  (or (:nemeses opts) (:nemeses (:plot test))))

(defn- typed-series
  [points]
  (for [[[f type] ps] points]
    {:label     (str (util/name+ f) " " (name type))
     :points    ps
     :color-hex (chart/type->color type)}))

(defn- file
  [test opts filename]
  (store/path! test (:subdirectory opts) filename))

(defn latency-graphs!
  "Writes latency-raw.png, every operation, and latency-quantiles.png."
  [test history opts]
  (let [duration (duration-secs history)
        dt       (window-secs duration quantile-window-secs-max)
        common   {:y-label "Latency (ms)"
                  :log?    true
                  :nemeses (nemeses test opts)
                  :history history}]
    (chart/draw! (file test opts "latency-raw.png")
                 (assoc common
                        :title  (str (:name test) " latency")
                        :series (typed-series
                                 (raw-latencies history duration))))
    (chart/draw! (file test opts "latency-quantiles.png")
                 (assoc common
                        :title  (str (:name test) " latency quantiles")
                        :lines? true
                        :series (for [[q points]
                                      (sort-by key
                                               (quantile-points
                                                dt (latencies-by-window
                                                    history dt)))]
                                  {:label     (str q)
                                   :points    points
                                   :color-hex (quantiles q)})))))

(defn rate-graph!
  "Writes rate.png: completions per second, by :f and type."
  [test history opts]
  (let [dt (window-secs (duration-secs history) rate-window-secs-max)]
    (chart/draw! (file test opts "rate.png")
                 {:title   (str (:name test) " rate")
                  :y-label "Throughput (ops/s)"
                  :lines?  true
                  :series  (typed-series (rates history dt))
                  :nemeses (nemeses test opts)
                  :history history})))
