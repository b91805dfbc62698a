(ns jepsen.independent
  "Runs a test for one key of the system on many independent keys.

  A value of an operation becomes a tuple of its key and the value proper. The generators here make
  such operations from generators for one key, and the checker takes a history apart by key and
  checks the parts."
  (:require [clojure.java.io :as io]
            [jepsen.checker :as checker]
            [jepsen.generator :as gen]
            [jepsen.generator.context :as context]
            [jepsen.history :as history]
            [jepsen.history.task :as task]
            [jepsen.print :as print]
            [jepsen.print.edn :as edn]
            [jepsen.store :as store])
  (:import (clojure.lang MapEntry)
           (jepsen.history Op)))

(set! *warn-on-reflection* true)

(def dir
  "The directory, in that of a run, for what concerns single keys."
  "independent")

(defn tuple
  "The value `v` for the key `k`."
  [k v]
  (MapEntry/create k v))

(defn tuple?
  "True if `x` was made by `tuple`."
  [x]
  (instance? MapEntry x))

(defn- wrap
  "The operation `op` with its value as a tuple of `k`."
  [k op]
  (assoc op :value (tuple k (:value op))))

(defn sequential-generator
  "For each of `keys` in turn, the operations of the generator `(fgen key)`, with tuples as values."
  [keys fgen]
  (map (fn [k] (gen/map (fn [op] (wrap k op)) (fgen k)))
       keys))

(defn tuple-gen
  "The operations of `gen`, with tuples of `k` as the values of those that are invocations."
  [k gen]
  (gen/map (fn [op] (if (= :invoke (:type op)) (wrap k op) op))
           gen))

;;; Groups of threads

(defn group-threads
  "The client threads of `ctx` as a vector of sets of `n` threads each, in order. Throws an
  AssertionError if they do not come out even."
  [n ctx]
  (let [threads (vec (context/all-threads ctx))
        total   (count threads)]
    (assert (<= n total)
            (str "With " total " threads there can be no group of " n "; raise the concurrency."))
    (assert (zero? (rem total n))
            (str total " threads cannot be divided into groups of " n
                 "; the concurrency must be a multiple of it."))
    (mapv set (partition n threads))))

(defn make-group->threads
  "The vector of the sets of threads of each group; see `group-threads`."
  [n ctx]
  (group-threads n ctx))

(defn make-thread->group
  "The map of the threads to the index of their group; see `group-threads`."
  [n ctx]
  (into {}
        (mapcat (fn [i threads] (map (fn [thread] [thread i]) threads))
                (range)
                (group-threads n ctx))))

(defn- begin
  "The map `state` of a generator of groups once its threads are known: every group has a generator,
  of the next key."
  [{:keys [n keys fgen] :as state} ctx]
  (let [groups (group-threads n ctx)
        taken  (take (count groups) keys)]
    (assoc state
           :filters       (mapv gen/make-thread-filter groups)
           :thread->group (make-thread->group n ctx)
           :gens          (into (mapv (fn [k] (tuple-gen k (fgen k))) taken)
                                (repeat (- (count groups) (count taken)) nil))
           :keys          (drop (count groups) keys))))

(defn- ask-group
  "Asks the generator of group `i`, and those of further keys while it is exhausted. Returns
  `[state answer]`."
  [{:keys [filters fgen] :as state} i test ctx]
  (let [ctx ((nth filters i) ctx)]
    (loop [{:keys [gens keys] :as state} state]
      (if-some [answer (gen/op (nth gens i) test ctx)]
        [state answer]
        (if-let [[k & more] (seq keys)]
          (recur (assoc state
                        :keys more
                        :gens (assoc gens i (tuple-gen k (fgen k)))))
          [(assoc-in state [:gens i] nil) nil])))))

(defn- soonest-of-groups
  "Asks all groups that have a free thread. Returns `[state offer]`, with the offer's group as :i."
  [{:keys [n filters] :as state} test ctx]
  (reduce (fn [[state soonest :as unchanged] i]
            (if (zero? (context/free-thread-count ((nth filters i) ctx)))
              unchanged
              (let [[state [op gen' :as answer]] (ask-group state i test ctx)]
                [state
                 (if (nil? answer)
                   soonest
                   (gen/soonest-op-map soonest {:op op, :gen' gen', :weight n, :i i}))])))
          [state nil]
          (range (count filters))))

(defn- unwrap
  "The event `event` with the value proper in place of a tuple."
  [event]
  (if (tuple? (:value event))
    (assoc event :value (val (:value event)))
    event))

(defrecord ConcurrentGenerator [n fgen keys filters thread->group gens]
  gen/Generator
  (update [this test ctx event]
    (if-some [i (get thread->group (context/process->thread ctx (:process event)))]
      (assoc this :gens
             (assoc gens i (gen/update (nth gens i) test ((nth filters i) ctx) (unwrap event))))
      this))
  (op [this test ctx]
    (let [begun (if gens this (begin this ctx))
          [state {:keys [op gen' i]}] (soonest-of-groups begun test ctx)]
      (cond
        (and op (not= :pending op)) [op (assoc-in state [:gens i] gen')]
        (some some? (:gens state))  [:pending this]))))

(defn concurrent-generator
  "Divides the client threads into groups of `n` threads. Each group works on one key at a time,
  with the generator `(fgen key)`; when that is exhausted it takes the next key of the sequence
  `keys`. Values become tuples. Exhausted when all keys are."
  [n keys fgen]
  (assert (and (integer? n) (pos? n)) "a group has a positive number of threads")
  (gen/clients
    (map->ConcurrentGenerator {:n n, :fgen fgen, :keys keys})))

;;; Checking

(defn history-keys
  "The set of the keys of all tuples in `history`."
  [history]
  (into #{}
        (comp (map :value) (filter tuple?) (map key))
        history))

(defn- merge-by-index
  "The operations of two vectors, both in the order of their :index, in that order."
  [as bs]
  (loop [i 0, j 0, merged (transient [])]
    (let [a (nth as i nil), b (nth bs j nil)]
      (cond (and (nil? a) (nil? b)) (persistent! merged)
            (or (nil? b)
                (and a (< (.index ^Op a) (.index ^Op b)))) (recur (inc i) j (conj! merged a))
            :else                                          (recur i (inc j) (conj! merged b))))))

(defn subhistories
  "A map of each of `ks` to its history: the operations with tuples of the key, with the values
  proper, and all operations without tuples. Operations keep their :index."
  [ks history]
  (let [step (fn [[by-key shared] op]
               (let [value (:value op)]
                 (if (tuple? value)
                   [(update by-key (key value) (fnil conj []) (assoc op :value (val value)))
                    shared]
                   [by-key (conj shared op)])))
        [by-key shared] (reduce step [{} []] history)]
    (into {}
          (map (fn [k]
                 [k (history/sparse-history (merge-by-index (get by-key k []) shared))]))
          ks)))

(defn- write-results!
  "Writes the results and the history of one key to the directory `subdirectory` of the test's
  store."
  [test subdirectory results history]
  (with-open [w (io/writer (store/path! test subdirectory "results.edn"))]
    (print/pprint results w))
  (with-open [w (io/writer (store/path! test subdirectory "history.edn"))]
    (reduce (fn [_ op]
              (edn/write! op w)
              (.write w "\n"))
            nil history)))

(defn- check-key
  "The pair of the key `k` and its result; see `checker`."
  [inner test opts k history]
  (let [subdirectory (concat (:subdirectory opts) [dir k])
        results      (checker/check-safe inner test history {:subdirectory subdirectory
                                                             :history-key  k})]
    (when (and (:name test) (:start-time test))
      (write-results! test subdirectory results history))
    [k results]))

(defn checker
  "A checker that checks the history of every key with the checker `inner`, whose options are

    :subdirectory  where in the test's store the results and the history of the key are written
    :history-key   the key

  Returns

    :valid?    the merged validity of all keys
    :results   a sorted map of the keys to their results
    :failures  a vector of the keys whose result is false"
  [inner]
  (reify checker/Checker
    (check [_ test history opts]
      (let [pairs (task/pmapv (fn [[k subhistory]] (check-key inner test opts k subhistory))
                              (subhistories (history-keys history) history))
            results (into (sorted-map) pairs)]
        {:valid?   (checker/merge-valid (map :valid? (vals results)))
         :results  results
         :failures (into [] (comp (remove (comp :valid? val)) (map key)) results)}))))
