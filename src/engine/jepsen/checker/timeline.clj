(ns jepsen.checker.timeline
  "A page that shows operations as boxes over time, one column per process."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [jepsen.checker :as checker]
            [jepsen.history :as h]
            [jepsen.print :as print]
            [jepsen.print.edn :as edn]
            [jepsen.store :as store]
            [jepsen.util :as util])
  (:import (java.io StringWriter Writer)))

(set! *warn-on-reflection* true)

(def ^:private pairs-max
  "No browser shows more boxes than this in good time."
  10000)

(def ^:private column-px 110)
(def ^:private gutter-px 6)
(def ^:private row-px 16)

(def ^:private stylesheet
  (str "body{font:12px sans-serif;margin:10px}"
       ".ops{position:relative}"
       ".op{position:absolute;overflow:hidden;padding:1px 3px;"
       "border-radius:2px;box-sizing:border-box;width:" column-px "px;"
       "box-shadow:0 1px 2px rgba(0,0,0,.3)}"
       ".op:target{outline:2px solid #000}"
       ".op a{color:inherit;text-decoration:none}"
       ".invoke{background:#eee}.ok{background:#6DB6FE}"
       ".info{background:#FFAA26}.fail{background:#FEB5DA}"
       ".process{position:sticky;top:0;display:inline-block;width:"
       (+ column-px gutter-px) "px;font-weight:bold}"))

(defn- escape
  [s]
  (str/escape s {\< "&lt;", \> "&gt;", \& "&amp;", \" "&quot;"}))

(defn- edn-str
  [x]
  (let [w (StringWriter.)]
    (edn/write! x w)
    (str w)))

(defn- pairs
  "[invocation completion] or [operation nil], in the order of their begin."
  [history]
  (eduction
   (keep (fn [op]
           (let [other (long (h/pair-index history (:index op)))]
             (cond
               (neg? other) (when (or (h/invoke? op) (not (h/client-op? op)))
                              [op nil])
               (< (long (:index op)) other) [op (h/get-index history other)]))))
   history))

(defn- processes
  "Processes in the order of their columns: numbers first."
  [shown]
  (sort-by identity
           (fn [a b]
             (let [rank (fn [p] (if (number? p) 0 1))]
               (if (= (rank a) (rank b))
                 (util/poly-compare a b)
                 (compare (rank a) (rank b)))))
           (distinct (map (comp :process first) shown))))

(defn- title
  "What the mouse shows: all of the operation."
  [[invoke op] origin]
  (let [op       (or op invoke)
        duration (- (long (:time op)) (long (:time invoke)))]
    (str (format "From %.3f s, took %.3f ms\n"
                 (/ (- (long (:time invoke)) (long origin)) 1e9)
                 (/ duration 1e6))
         (print/pprint-str (dissoc (into {} op) :exception)))))

(defn- body
  [[invoke op]]
  (let [value (fn [op] (when (some? (:value op)) (edn-str (:value op))))]
    (str (:process invoke) " " (util/name+ (:f invoke)) " "
         (value invoke)
         (when (and op (not= (:value op) (:value invoke)))
           (str " → " (value op))))))

(defn- write-box!
  "One operation, from the row of its begin to that of its end."
  [^Writer w {:keys [column top bottom origin]} [invoke op :as pair]]
  (.write w (format
             (str "<div class=\"op %s\" id=\"i%d\" style=\"left:%dpx;top:%dpx;"
                  "height:%dpx\" title=\"%s\"><a href=\"#i%d\">%s</a></div>\n")
             (name (:type (or op invoke)))
             (:index invoke)
             (* column (+ column-px gutter-px))
             (* top row-px)
             (max (- row-px 1) (- (* row-px (- bottom top)) 1))
             (escape (title pair origin))
             (:index invoke)
             (escape (body pair)))))

(defn- rows
  "Map of operation index to row: each begin and end has one of its own."
  [shown]
  (->> shown
       (mapcat (fn [[invoke op]] (keep :index [invoke op])))
       sort
       (map-indexed (fn [row index] [index row]))
       (into {})))

(defn- write-page!
  [^Writer w test history opts]
  (let [shown   (into [] (take pairs-max) (pairs history))
        columns (zipmap (processes shown) (range))
        row     (rows shown)
        bottom  (count row)
        origin  (or (:time (ffirst shown)) 0)
        heading (str (:name test)
                     (when-let [k (:history-key opts)] (str " key " k)))]
    (.write w (str "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">"
                   "<title>" (escape heading) "</title><style>" stylesheet
                   "</style></head><body><h1>" (escape heading) "</h1>\n"))
    (when (= pairs-max (count shown))
      (.write w (str "<p>Only the first " pairs-max
                     " operations are shown.</p>\n")))
    (doseq [p (keys (sort-by val columns))]
      (.write w (str "<div class=\"process\">" (escape (str p)) "</div>")))
    (.write w (str "<div class=\"ops\" style=\"height:" (* row-px bottom)
                   "px\">\n"))
    (doseq [[invoke op :as pair] shown]
      (write-box! w
                  {:column (columns (:process invoke))
                   :top    (row (:index invoke))
                   :bottom (if op (row (:index op)) bottom)
                   :origin origin}
                  pair))
    (.write w "</div></body></html>\n")))

(defn html
  "Writes timeline.html. Always valid."
  []
  (reify checker/Checker
    (check [_ test history opts]
      (with-open [w (io/writer (store/path! test (:subdirectory opts)
                                            "timeline.html"))]
        (write-page! w test history opts))
      {:valid? true})))
