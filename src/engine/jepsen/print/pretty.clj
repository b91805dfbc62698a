(ns jepsen.print.pretty
  "Prints data over several lines, in time proportional to its size.

  What fits into the rest of a line goes there; what does not is broken
  after each of its elements."
  (:require [jepsen.print.edn :as edn])
  (:import (java.io StringWriter Writer)
           (java.util Map$Entry)))

(set! *warn-on-reflection* true)

(def ^:private line-full
  "Thrown, without a stack trace, when something does not fit."
  (proxy [RuntimeException] ["line full" nil false false]))

(defn- bounded-writer
  "A writer to a string that throws as soon as it has more than `width`
  characters."
  ^Writer [^StringBuilder sb width]
  (let [width (long width)]
    (proxy [Writer] []
      (write
        ([x]
         (if (string? x)
           (.append sb ^String x)
           (.append sb (char x)))
         (when (< width (.length sb))
           (throw line-full)))
        ([x off len]
         (if (string? x)
           (.append sb ^CharSequence x (int off) (int (+ off len)))
           (.append sb ^chars x (int off) (int len)))
         (when (< width (.length sb))
           (throw line-full))))
      (flush [])
      (close []))))

(defn- flat
  "The value on one line, or nil if that is longer than `width`."
  [x width]
  (when (pos? width)
    (let [sb (StringBuilder.)]
      (try
        (edn/write! x (bounded-writer sb width))
        (.toString sb)
        (catch RuntimeException e
          (when-not (identical? e line-full)
            (throw e)))))))

(defn- spaces!
  [^Writer w n]
  (dotimes [_ n]
    (.write w (int \space))))

(declare write-at!)

(defn- new-line!
  [^Writer w column]
  (.write w "\n")
  (spaces! w column))

(defn- write-elements!
  "Elements between brackets: simple ones side by side, collections one below
  the other. `room` is what must be left at the end of the last line."
  [coll ^String open ^String close column room width ^Writer w]
  (let [column (long (+ column (count open)))
        width  (long width)
        room   (long (+ room (count close)))
        it     (.iterator ^Iterable coll)]
    (.write w open)
    (loop [at column]
      (when (.hasNext it)
        (let [x      (.next it)
              room   (if (.hasNext it) 0 room)
              word   (when-not (coll? x) (flat x (- width column room)))
              length (long (if word (count word) width))
              beside (< column at)
              at     (if beside (inc at) at)]
          (cond
            (and beside (< width (+ at length room))) (new-line! w column)
            beside (.write w " "))
          (cond
            (nil? word) (do (write-at! x column room width w)
                            (recur (+ column width)))
            (< width (+ at length room)) (do (.write w ^String word)
                                             (recur (+ column length)))
            :else (do (.write w ^String word)
                      (recur (+ at length)))))))
    (.write w close)))

(defn- write-entry!
  [^Map$Entry e column room width ^Writer w]
  (if-let [k (flat (.getKey e) (quot width 2))]
    (do (.write w ^String k)
        (.write w " ")
        (write-at! (.getValue e) (+ column (count k) 1) room width w))
    (do (write-at! (.getKey e) column 0 width w)
        (new-line! w column)
        (write-at! (.getValue e) column room width w))))

(defn- write-map!
  "Entries, one below the other."
  [m column room width ^Writer w]
  (let [column (inc column)
        it     (.iterator ^Iterable m)]
    (.write w "{")
    (loop []
      (when (.hasNext it)
        (let [e     (.next it)
              more? (.hasNext it)]
          (write-entry! e column (if more? 1 (inc room)) width w)
          (when more?
            (.write w ",")
            (new-line! w column)
            (recur)))))
    (.write w "}")))

(defn- write-at!
  "Prints a value that begins at a column, of a line at whose end there must
  be `room` left."
  [x column room width ^Writer w]
  (if-let [line (flat x (- width column room))]
    (.write w ^String line)
    (cond
      (map? x)        (if (edn/plain-map? x)
                        (write-map! x column room width w)
                        (edn/write! x w))
      (vector? x)     (write-elements! x "[" "]" column room width w)
      (set? x)        (write-elements! x "#{" "}" column room width w)
      (sequential? x) (write-elements! x "(" ")" column room width w)
      :else           (edn/write! x w))))

(defn write!
  "Prints a value to a writer, in lines of `width` characters if possible."
  [x width w]
  (write-at! x 0 0 width w))

(defn pretty-str
  "The value as a string, in lines of `width` characters if possible."
  [x width]
  (let [w (StringWriter.)]
    (write! x width w)
    (.toString w)))
