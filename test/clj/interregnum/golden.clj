(ns interregnum.golden
  "Runs golden vectors: cases of code and the data that it yields on Jepsen itself.

  A case is a map. Its code is a string, evaluated in a namespace with the aliases below, as far as
  those namespaces exist on the class path. What it yields is compared in canonical form."
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io]
            [clojure.string :as str]))

(def aliases
  "Alias that code may use → namespace."
  '{str         clojure.string
    set         clojure.set
    gen         jepsen.generator
    context     jepsen.generator.context
    independent jepsen.independent
    checker     jepsen.checker
    h           jepsen.history
    n           jepsen.nemesis
    nc          jepsen.nemesis.combined
    util        jepsen.util
    cli         jepsen.cli
    db          jepsen.db
    c           jepsen.control
    cc          jepsen.control.core
    rand        jepsen.random
    bank        jepsen.tests.bank
    long-fork   jepsen.tests.long-fork
    causal-reverse jepsen.tests.causal-reverse
    adya        jepsen.tests.adya
    cycle       jepsen.tests.cycle.core
    append      jepsen.tests.cycle.append
    wr          jepsen.tests.cycle.wr
    client      jepsen.client
    core        jepsen.core
    net         jepsen.net
    os          jepsen.os
    tests       jepsen.tests
    model       knossos.model
    kh          knossos.history
    op          knossos.op})

(defn- namespace-on-class-path?
  "True if the namespace `ns-sym` has a source or class file."
  [ns-sym]
  (let [path (-> (str ns-sym) (str/replace "-" "_") (str/replace "." "/"))]
    (boolean (or (io/resource (str path ".clj"))
                 (io/resource (str path "__init.class"))))))

(def available
  "The subset of `aliases` whose namespaces exist."
  (into {} (filter (comp namespace-on-class-path? val)) aliases))

(def ^:private case-ns
  "The namespace that code is evaluated in."
  (delay
    (binding [*ns* (create-ns 'golden.case)]
      (refer-clojure :exclude '[parse-long])
      (doseq [[alias-sym ns-sym] available]
        (require [ns-sym :as alias-sym]))
      *ns*)))

(defn missing-namespaces
  "The namespaces that the string `code` needs and that do not exist; a case that needs any concerns
  a part of the API that is not built."
  [code]
  (let [used (concat (keep (fn [[_ alias-name]] (get aliases (symbol alias-name)))
                           (re-seq #"[\s(\[{@'#]([a-z][a-z-]*)/[a-zA-Z]" (str " " code)))
                     (map (fn [[_ ns-name]] (symbol ns-name))
                          (re-seq #"requiring-resolve '([a-z.-]+)/" code)))]
    (into #{} (remove namespace-on-class-path?) used)))

(defn eval-string
  "Evaluates the string `code`."
  [code]
  (binding [*ns* @case-ns]
    (eval (read-string code))))

(defn load-vectors
  "The cases of `test/resources/vectors/<file>`."
  [file]
  (edn/read-string (slurp (io/resource (str "vectors/" file)))))

;;; Canonical form

(defn- canonical-entries
  [canon x]
  (into {} (map (fn [[k v]] [(canon k) (canon v)])) x))

(defn canonical
  "`x` as plain data: records as maps, lists, queues and lazy sequences as vectors, floats as
  doubles, integers as longs, classes as symbols, functions as :fn."
  [x]
  (cond
    (map? x)                (canonical-entries canonical x)
    (set? x)                (into #{} (map canonical) x)
    (sequential? x)         (mapv canonical x)
    (instance? clojure.lang.PersistentQueue x) (mapv canonical x)
    (instance? java.util.List x) (mapv canonical x)
    (float? x)              (double x)
    (instance? Integer x)   (long x)
    (class? x)              (symbol (.getName ^Class x))
    (instance? Throwable x) {:throwable (symbol (.getName (class x)))}
    (fn? x)                 :fn
    :else                   x))

(defn thrown
  "What a case expects of a Throwable: `{:type k}`, with :problems if there are any, from the data
  of an ex-info, or else `{:class c}`."
  [^Throwable t]
  (let [{:keys [type problems] :as data} (ex-data t)]
    (cond
      (not (and (map? data) type)) {:class (symbol (.getName (class t)))}
      problems {:type     type
                :problems (mapv (fn [problem]
                                  (str/replace problem #"process .* is not free"
                                               "process is not free"))
                                problems)}
      :else    {:type type})))

(defn same-outcome?
  "True if the outcome `got` of a case is the one `expected`. A case that expects a class is content
  with any Throwable."
  [expected got]
  (if (:class (:throws expected))
    (contains? got :throws)
    (= expected got)))

(defn close-to?
  "Equality of plain data in which floating-point numbers may differ by one part in 10^9."
  [a b]
  (cond
    (and (number? a) (number? b) (or (float? a) (float? b)))
    (<= (Math/abs (- (double a) (double b))) (* 1e-9 (max 1.0 (Math/abs (double a)))))

    (and (map? a) (map? b))
    (and (= (set (keys a)) (set (keys b)))
         (every? (fn [k] (close-to? (get a k) (get b k))) (keys a)))

    (and (sequential? a) (sequential? b))
    (and (= (count a) (count b)) (every? true? (map close-to? a b)))

    :else (= a b)))

(defn out-of-bounds
  "The entries of the map of numbers `metrics` outside of `bounds`, a map of the same keys to
  closed intervals."
  [bounds metrics]
  (into {}
        (remove (fn [[k v]]
                  (let [[low high] (get bounds k [Double/NEGATIVE_INFINITY
                                                  Double/POSITIVE_INFINITY])]
                    (<= (- low 1e-9) (double v) (+ high 1e-9)))))
        metrics))
