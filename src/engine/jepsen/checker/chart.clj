(ns jepsen.checker.chart
  "Charts over the time of a run, with bands that show when faults were
  active. Drawn by JFreeChart, written as PNG."
  (:require [clojure.java.io :as io]
            [clojure.tools.logging :refer [warn]]
            [jepsen.history :as h]
            [jepsen.util :as util])
  (:import (java.awt BasicStroke Color)
           (java.awt.geom Ellipse2D$Double Rectangle2D$Double)
           (java.io File)
           (org.jfree.chart ChartFactory ChartUtils JFreeChart LegendItem
                            LegendItemCollection)
           (org.jfree.chart.axis LogAxis NumberAxis ValueAxis)
           (org.jfree.chart.plot IntervalMarker ValueMarker XYPlot)
           (org.jfree.chart.renderer.xy XYLineAndShapeRenderer)
           (org.jfree.chart.ui Layer)
           (org.jfree.data.xy XYSeries XYSeriesCollection)))

(set! *warn-on-reflection* true)

(System/setProperty "java.awt.headless" "true")

(def ^:private width-px 900)
(def ^:private height-px 400)

(def type->color
  "Colours of completions."
  {:ok "#81BFFC", :info "#FFA400", :fail "#FF1E90"})

(def ^:private default-fault-color "#cccccc")
(def ^:private default-fault-alpha 0.6)
(def ^:private bands-max 12)

(defn- color
  (^Color [hex] (color hex 1.0))
  (^Color [^String hex alpha]
   (let [c (Color/decode hex)]
     (Color. (.getRed c) (.getGreen c) (.getBlue c)
             (int (* 255 (double alpha)))))))

(defn secs
  "An operation's time in seconds."
  [op]
  (util/nanos->secs (:time op)))

;;; Faults

(defn- with-defaults
  [spec]
  (merge {:start #{:start}, :stop #{:stop}, :fs #{}} spec))

(defn- fault-specs
  "The specs that apply to a history, and one for the nemesis operations that
  none of them covers."
  [specs history]
  (let [specs   (map with-defaults (remove :hidden? specs))
        covered (into #{} (mapcat (fn [{:keys [start stop fs]}]
                                    (concat start stop fs)))
                      specs)
        ops     (remove h/client-op? history)
        rest?   (some (fn [op] (not (covered (:f op)))) ops)]
    (cond->> specs
      rest? (cons (with-defaults {:name "nemesis"}))
      true  (take bands-max))))

(defn- intervals
  "[begin end] of a fault, in seconds; open ends are the end of the run."
  [{:keys [start stop]} ops end]
  (for [[a b] (util/nemesis-intervals ops {:start start, :stop stop})]
    [(secs a) (if b (secs b) end)]))

(defn- add-fault!
  [^XYPlot plot {:keys [fs transparency] :as spec} ops end]
  (let [hex  (or (:fill-color spec) (:color spec) default-fault-color)
        fill (color hex (or transparency default-fault-alpha))]
    (doseq [[from to] (intervals spec ops end)]
      (.addDomainMarker plot
                        (doto (IntervalMarker. (double from) (double to) fill)
                          (.setAlpha 1.0))
                        Layer/BACKGROUND))
    (doseq [op (filter (comp (set fs) :f) ops)]
      (.addDomainMarker plot
                        (ValueMarker. (double (secs op))
                                      (color (or (:line-color spec) hex))
                                      (BasicStroke. 1.0))
                        Layer/BACKGROUND))
    (LegendItem. (str (:name spec)) nil nil nil
                 (Rectangle2D$Double. 0 0 8 8) fill)))

(defn- add-faults!
  "Marks when the faults of a history were active; returns legend items."
  [plot specs history]
  (let [ops (filterv (complement h/client-op?) history)
        end (if (pos? (count history))
              (secs (nth history (dec (count history))))
              0)]
    (mapv #(add-fault! plot % ops end) (fault-specs specs ops))))

;;; Charts

(defn- add-series!
  [^XYSeriesCollection dataset ^XYLineAndShapeRenderer renderer
   {:keys [label points color-hex]}]
  (let [i      (.getSeriesCount dataset)
        series (XYSeries. label false true)]
    (doseq [[x y] points]
      (.add series (double x) (double y)))
    (.addSeries dataset series)
    (when color-hex
      (.setSeriesPaint renderer i (color color-hex)))
    (.setSeriesShape renderer i (Ellipse2D$Double. -1.5 -1.5 3 3))))

(defn- y-axis
  ^ValueAxis [label log?]
  (if log?
    (LogAxis. label)
    (doto (NumberAxis. label)
      (.setAutoRangeIncludesZero true))))

(defn- style!
  [^XYPlot plot renderer axis]
  (doto plot
    (.setRenderer renderer)
    (.setRangeAxis ^ValueAxis axis)
    (.setBackgroundPaint Color/WHITE)
    (.setDomainGridlinePaint Color/LIGHT_GRAY)
    (.setRangeGridlinePaint Color/LIGHT_GRAY)))

(defn- chart
  ^JFreeChart [{:keys [title y-label log? lines? series nemeses history]}]
  (let [dataset  (XYSeriesCollection.)
        renderer (XYLineAndShapeRenderer. (boolean lines?) true)
        chart    (ChartFactory/createScatterPlot title "Time (s)" y-label
                                                 dataset)
        plot     (.getXYPlot chart)
        legend   (LegendItemCollection.)]
    (run! #(add-series! dataset renderer %) series)
    (style! plot renderer (y-axis y-label log?))
    (let [faults (add-faults! plot nemeses history)]
      (.addAll legend (.getLegendItems renderer))
      (run! #(.add legend %) faults)
      (.setFixedLegendItems plot legend))
    chart))

(defn draw!
  "Writes a chart to a PNG file. Options:

    :title :y-label
    :log?      whether the y axis is logarithmic
    :lines?    whether points are connected
    :series    list of {:label :points [[seconds y] ...] :color-hex}
    :nemeses   perf specs of the faults to show
    :history   the history they happened in

  Nothing is drawn without points. A chart that cannot be drawn, for lack of
  fonts say, is only logged: it is no part of the verdict."
  [^File file opts]
  (let [series (filterv (comp seq :points) (:series opts))]
    (when (seq series)
      (try
        (io/make-parents file)
        (ChartUtils/saveChartAsPNG file (chart (assoc opts :series series))
                                   (int width-px) (int height-px))
        (catch LinkageError e
          (warn "Cannot draw" (.getName file) ":" (ex-message e)))
        (catch InternalError e
          (warn "Cannot draw" (.getName file) ":" (ex-message e)))))))
