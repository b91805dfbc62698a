(ns jepsen.checker.sets
  "Checkers of sets: was every element that was added there to stay?"
  (:require [clojure.set :as set]
            [jepsen.history :as h]
            [jepsen.util :as util])
  (:import (java.util HashMap HashSet LinkedHashMap)))

(set! *warn-on-reflection* true)

;;; The last read

(defn- values-of
  [f type history]
  (into #{}
        (comp (filter (fn [op] (and (= f (:f op)) (= type (:type op)))))
              (map :value))
        history))

(defn- last-read
  [history]
  (reduce (fn [last op]
            (if (and (h/ok? op) (= :read (:f op))) op last))
          nil
          history))

(defn set-result
  "The result of `jepsen.checker/set`."
  [history]
  (let [final (:value (last-read history))]
    (if (nil? final)
      {:valid? :unknown
       :error  "Set was never read"}
      (let [attempts   (values-of :add :invoke history)
            adds       (values-of :add :ok history)
            final      (set final)
            ok         (set/intersection final attempts)
            unexpected (set/difference final attempts)
            lost       (set/difference adds final)
            recovered  (set/difference ok adds)]
        {:valid?             (and (empty? lost) (empty? unexpected))
         :attempt-count      (count attempts)
         :acknowledged-count (count adds)
         :ok-count           (count ok)
         :lost-count         (count lost)
         :recovered-count    (count recovered)
         :unexpected-count   (count unexpected)
         :ok                 (util/integer-interval-set-str ok)
         :lost               (util/integer-interval-set-str lost)
         :unexpected         (util/integer-interval-set-str unexpected)
         :recovered          (util/integer-interval-set-str recovered)}))))

;;; Every read

(def ^:private ^:const known 0)
(def ^:private ^:const last-present 1)
(def ^:private ^:const last-absent 2)

(defn- new-element
  "What is known of an element: the operation that showed it to be there, and
  the invocations of the latest reads with and without it."
  ^objects []
  (object-array 3))

(defn- know!
  [^objects element op]
  (when (nil? (aget element known))
    (aset element known op)))

(defn- later!
  "Puts a read's invocation in its place unless a later one is there."
  [^objects element place op]
  (let [place (int place)
        old   (aget element place)]
    (when (or (nil? old) (< (long (:index old)) (long (:index op))))
      (aset element place op))))

(defn- read!
  "Tells each element whether a completed read had it."
  [^LinkedHashMap elements invoke op]
  (let [present (HashSet.)]
    (run! #(.add present %) (:value op))
    (doseq [[value element] elements]
      (if (.contains present value)
        (do (know! element op)
            (later! element last-present invoke))
        (later! element last-absent invoke)))))

(defn- add!
  [^LinkedHashMap elements op]
  (if (h/invoke? op)
    (.putIfAbsent elements (:value op) (new-element))
    (when (h/ok? op)
      (some-> (.get elements (:value op)) (know! op)))))

(defn- elements
  "Map of value to element, in the order of their invocation."
  ^LinkedHashMap [history]
  (let [elements (LinkedHashMap.)
        reads    (HashMap.)]
    (doseq [op (eduction (filter h/client-op?) history)]
      (case (:f op)
        :add  (add! elements op)
        :read (if (h/invoke? op)
                (.put reads (:process op) op)
                (let [invoke (.remove reads (:process op))]
                  (when (h/ok? op)
                    (read! elements invoke op))))
        nil))
    elements))

(defn- index
  ^long [op]
  (if op (long (:index op)) -1))

(defn- latency-ms
  "Whole milliseconds from the time an element was known to just after the
  invocation of a read."
  [known op]
  (let [end (if op (inc (long (:time op))) 0)]
    (quot (max 0 (- end (long (:time known)))) 1000000)))

(defn- outcome
  "What became of an element."
  [[value element]]
  (let [[known last-present last-absent] element
        stable? (and last-present (< (index last-absent) (index last-present)))
        lost?   (and known last-absent
                     (< (index last-present) (index last-absent))
                     (< (index known) (index last-absent)))]
    {:element         value
     :outcome         (cond stable? :stable
                            lost?   :lost
                            :else   :never-read)
     :stable-latency  (when stable? (latency-ms known last-absent))
     :lost-latency    (when lost? (latency-ms known last-present))
     :known           known
     :last-absent     last-absent}))

(def ^:private quantiles [0 0.5 0.95 0.99 1])

(defn- distribution
  [latencies]
  (let [sorted (vec (sort latencies))
        n      (count sorted)]
    (into (sorted-map)
          (map (fn [q]
                 [q (nth sorted (min (dec n) (long (Math/floor (* n (double q))))))]))
          quantiles)))

(def ^:private worst-kept 8)

(defn- sorted-elements
  [outcomes]
  (vec (sort-by identity util/poly-compare (map :element outcomes))))

(defn- verdict
  [{:keys [linearizable?]} {:keys [lost stable]} stale]
  (cond
    (seq lost) false
    (empty? stable) :unknown
    (and linearizable? (seq stale)) false
    :else true))

(defn set-full-result
  "The result of `jepsen.checker/set-full`."
  [opts history]
  (let [outcomes   (mapv outcome (elements history))
        by-outcome (group-by :outcome outcomes)
        {:keys [stable lost never-read]} by-outcome
        stale      (filterv (comp pos? :stable-latency) stable)]
    (cond->
     {:valid?           (verdict opts by-outcome stale)
      :attempt-count    (count outcomes)
      :stable-count     (count stable)
      :lost-count       (count lost)
      :lost             (sorted-elements lost)
      :never-read-count (count never-read)
      :never-read       (sorted-elements never-read)
      :stale-count      (count stale)
      :stale            (sorted-elements stale)
      :worst-stale      (vec (take worst-kept
                                   (sort-by (comp - :stable-latency) stale)))
      :duplicated-count 0
      :duplicated       {}}
      (seq stable) (assoc :stable-latencies
                          (distribution (map :stable-latency stable)))
      (seq lost)   (assoc :lost-latencies
                          (distribution (map :lost-latency lost))))))
