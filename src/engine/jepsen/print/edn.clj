(ns jepsen.print.edn
  "Prints data as EDN, fast: histories have millions of values.

  What EDN has no notation for prints as a tagged value, so that everything
  that was printed can be read again by a reader with a `:default`."
  (:import (clojure.lang IPersistentMap IPersistentSet Keyword Symbol Var)
           (java.io Writer)
           (java.time.temporal Temporal)
           (java.util Iterator List Map Map$Entry)
           (java.util.regex Pattern)))

(set! *warn-on-reflection* true)

(defn- write-string!
  "A string in quotes. Most have nothing to escape."
  [^String s ^Writer w]
  (let [n (.length s)]
    (.write w (int \"))
    (loop [i 0]
      (when (< i n)
        (let [c (.charAt s i)]
          (case c
            \" (.write w "\\\"")
            \\ (.write w "\\\\")
            \newline (.write w "\\n")
            \return (.write w "\\r")
            \tab (.write w "\\t")
            (.write w (int c)))
          (recur (inc i)))))
    (.write w (int \"))))

(declare write!)

(defn- write-elements!
  [^Iterator it ^Writer w]
  (when (.hasNext it)
    (write! (.next it) w)
    (while (.hasNext it)
      (.write w (int \space))
      (write! (.next it) w))))

(defn- write-entry!
  [^Map$Entry e ^Writer w]
  (write! (.getKey e) w)
  (.write w (int \space))
  (write! (.getValue e) w))

(defn- write-map!
  [^Iterable m ^Writer w]
  (let [it (.iterator m)]
    (.write w (int \{))
    (when (.hasNext it)
      (write-entry! (.next it) w)
      (while (.hasNext it)
        (.write w ", ")
        (write-entry! (.next it) w)))
    (.write w (int \}))))

(defn- write-double!
  [^double d ^Writer w]
  (.write w (cond
              (Double/isNaN d) "##NaN"
              (= d Double/POSITIVE_INFINITY) "##Inf"
              (= d Double/NEGATIVE_INFINITY) "##-Inf"
              :else (Double/toString d))))

(defn- write-other!
  "Whatever has no notation of its own here."
  [x ^Writer w]
  (cond
    (instance? Pattern x) (do (.write w "#regex ")
                              (write-string! (str x) w))
    (instance? Temporal x) (write-string! (str x) w)
    (instance? Var x)     (do (.write w "#var ")
                              (.write w (subs (str x) 2)))
    :else (binding [*print-length*         nil
                    *print-level*          nil
                    *print-meta*           false
                    *print-readably*       true
                    *print-namespace-maps* false]
            (print-method x w))))

(def ^:private op-class
  "Operations are records but print as plain maps."
  (delay (Class/forName "jepsen.history.Op")))

(defn plain-map?
  "Whether a map prints without the name of a class."
  [x]
  (or (not (record? x))
      (instance? ^Class @op-class x)))

(defn write!
  "Prints a value to a writer."
  [x ^Writer w]
  (cond
    (nil? x)                       (.write w "nil")
    (instance? Keyword x)          (.write w (.toString ^Object x))
    (instance? Long x)             (.write w (.toString ^Object x))
    (string? x)                    (write-string! x w)
    (instance? Boolean x)          (.write w (if x "true" "false"))
    (instance? IPersistentMap x)   (if (plain-map? x)
                                     (write-map! x w)
                                     (write-other! x w))
    (vector? x)                    (do (.write w (int \[))
                                       (write-elements! (.iterator ^Iterable x)
                                                        w)
                                       (.write w (int \])))
    (instance? IPersistentSet x)   (do (.write w "#{")
                                       (write-elements! (.iterator ^Iterable x)
                                                        w)
                                       (.write w (int \})))
    (sequential? x)                (do (.write w (int \())
                                       (write-elements! (.iterator ^Iterable x)
                                                        w)
                                       (.write w (int \))))
    (instance? Double x)           (write-double! x w)
    (instance? Symbol x)           (.write w (.toString ^Object x))
    (instance? List x)             (write! (vec x) w)
    (and (instance? Map x)
         (not (record? x)))        (write! (into {} x) w)
    :else                          (write-other! x w)))
