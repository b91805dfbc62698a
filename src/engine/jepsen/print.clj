(ns jepsen.print
  "How tests, operations and results print."
  (:require [clojure.java.io :as io]
            [clojure.tools.logging :refer [info]]
            [jepsen.print.edn :as edn]
            [jepsen.print.pretty :as pretty])
  (:import (java.io StringWriter Writer)))

(set! *warn-on-reflection* true)

(def ^:private width 78)

(defn pprint
  "Prints a value, with line breaks, to standard output or a writer."
  ([x] (pprint x *out*))
  ([x ^Writer w]
   (pretty/write! x width w)
   (.write w "\n")
   (.flush w)))

(defn pprint-str
  "The value as a string with line breaks."
  [x]
  (pretty/pretty-str x width))

(defn write-op!
  "Writes the line of history.txt for an operation: process, type, f, value
  and, if there is one, the error, separated by tabs."
  [op ^Writer w]
  (edn/write! (:process op) w)
  (.write w "\t")
  (edn/write! (:type op) w)
  (.write w "\t")
  (edn/write! (:f op) w)
  (.write w "\t")
  (edn/write! (:value op) w)
  (when-let [error (:error op)]
    (.write w "\t")
    (if (string? error)
      (.write w ^String error)
      (edn/write! error w))))

(defn op->str
  "The line of history.txt for an operation."
  [op]
  (let [w (StringWriter.)]
    (write-op! op w)
    (.toString w)))

(defn prn-op
  "Prints an operation's line to standard output."
  [op]
  (println (op->str op)))

(defn log-op
  "Logs an operation's line; returns the operation."
  [op]
  (info (op->str op))
  op)

(defn print-history
  "Prints a history, a line per operation, by `print-op` if given."
  ([history] (print-history prn-op history))
  ([print-op history] (run! print-op history)))

(defn write-history!
  "Writes a history to a file, a line per operation."
  [file history]
  (with-open [w (io/writer file)]
    (reduce (fn [_ op]
              (write-op! op w)
              (.write w "\n"))
            nil
            history)))

(defn pwrite-history!
  "Like `write-history!`, under the name that suites know."
  ([file history] (write-history! file history))
  ([file _print-op history] (write-history! file history)))

(def ^:private shown-elements
  "How much of a collection in a generator is shown: it can be infinite."
  8)

(def ^:private shown-levels
  "How deep a generator is shown."
  12)

(defn- shown
  "A generator as text, cut in length and depth, in a form that prints as it is."
  [generator]
  (symbol (binding [*print-length* shown-elements
                    *print-level* shown-levels]
            (pr-str generator))))

(defn- shown-generator
  [generator]
  (if (instance? clojure.lang.IDeref generator)
    (if (or (not (instance? clojure.lang.IPending generator))
            (realized? generator))
      (shown @generator)
      'unrealized)
    (shown generator)))

(defn test->str
  "The test as a string; generators are cut after a few elements."
  [test]
  (pprint-str (cond-> (dissoc test :history :results :sessions :barrier :store)
                (:generator test) (update :generator shown-generator))))

(defn spy
  "Prints a value and returns it."
  [x]
  (pprint x)
  x)

(defmacro mute
  "Evaluates the body without standard output."
  [& body]
  `(binding [*out* (Writer/nullWriter)]
     ~@body))
