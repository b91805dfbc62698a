(ns interregnum.matrix.junit
  "The outcomes of a matrix as JUnit XML: one case a run. Invalid is a failure,
  unknown an error, and harness trouble an error of its own type, so that a build
  server can tell the three apart."
  (:require [clojure.java.io :as io])
  (:import (java.io Writer)
           (java.math RoundingMode)
           (javax.xml.stream XMLOutputFactory XMLStreamWriter)))

(set! *warn-on-reflection* true)

(def ^:private problems
  "Outcome → element and type of what went wrong; valid has none."
  {:invalid ["failure" "invalid"]
   :unknown ["error" "unknown"]
   :crashed ["error" "harness"]})

(defn- attributes!
  [^XMLStreamWriter xml pairs]
  (doseq [[k v] (partition 2 pairs)]
    (.writeAttribute xml k (str v))))

(defn- printable
  "`text` without characters that XML cannot hold."
  [text]
  (apply str (remove #(and (Character/isISOControl (char %))
                           (not (#{\newline \tab} %)))
                     text)))

(defn- problem!
  [^XMLStreamWriter xml {:keys [outcome reason path]}]
  (when-let [[element type] (problems outcome)]
    (.writeStartElement xml element)
    (attributes! xml ["type" type "message" (printable reason)])
    (when path (.writeCharacters xml (printable (str path))))
    (.writeEndElement xml)))

(defn- seconds
  [x]
  (.toPlainString (.setScale ^BigDecimal (bigdec (double x)) 3 RoundingMode/HALF_UP)))

(defn- testcase!
  [^XMLStreamWriter xml {:keys [workload nemesis repeat] :as outcome}]
  (.writeStartElement xml "testcase")
  (attributes! xml ["classname" workload
                    "name" (str nemesis " " (inc repeat))
                    "time" (seconds (:seconds outcome))])
  (problem! xml outcome)
  (.writeEndElement xml))

(defn- suite!
  [^XMLStreamWriter xml outcomes]
  (let [counts (frequencies (map :outcome outcomes))]
    (.writeStartElement xml "testsuite")
    (attributes! xml ["name" "interregnum"
                      "tests" (count outcomes)
                      "failures" (:invalid counts 0)
                      "errors" (+ (:unknown counts 0) (:crashed counts 0))
                      "time" (seconds (reduce + 0 (map :seconds outcomes)))])
    (run! #(testcase! xml %) outcomes)
    (.writeEndElement xml)))

(defn write!
  "Writes `outcomes` to `file`, making its directories."
  [file outcomes]
  (io/make-parents file)
  (with-open [^Writer out (io/writer file)]
    (let [xml (.createXMLStreamWriter (XMLOutputFactory/newInstance) out)]
      (.writeStartDocument xml "UTF-8" "1.0")
      (suite! xml outcomes)
      (.writeEndDocument xml)
      (.close xml))))
