(ns jepsen.generator.test
  "Simulators: what a generator does, as a vector of operations, without threads or time passing.

    (quick (clients (limit 2 (repeat {:f :read}))))

  Every simulator takes a generator, or a context and a generator. Operations are plain maps without
  :index. Random choices come from a source that starts from `rand-seed`."
  (:require [jepsen.generator :as gen]
            [jepsen.generator.context :as context]
            [jepsen.random :as rand])
  (:import (java.util Random)))

(set! *warn-on-reflection* true)

(def default-test
  "The test map that generators are given."
  {:nodes ["n1" "n2"]})

(def rand-seed
  "The seed of the random choices of a simulation."
  45100)

(defn n+nemesis-context
  "A context of `n` client threads and the nemesis."
  [n]
  (context/context {:concurrency n}))

(def default-context
  "A context of two client threads and the nemesis."
  (n+nemesis-context 2))

(defn with-fixed-rands
  "Calls `thunk` with all randomness, also that of clojure.core, drawn from `seed`."
  [seed thunk]
  (let [random (Random. seed)]
    (rand/with-rng random
      (with-redefs [clojure.core/rand     (fn ([] (.nextDouble random))
                                            ([n] (* n (.nextDouble random))))
                    clojure.core/rand-int (fn [n] (int (* n (.nextDouble random))))]
        (thunk)))))

(defn- after-completion
  "The context after the completion `op`: a client's crashed process is replaced."
  [ctx thread op]
  (if (and (= :info (:type op)) (not= :nemesis thread))
    (context/with-next-process ctx thread)
    ctx))

(defn- in-flight-with
  "The operations under way `in-flight`, in the order of their :time, with `op`, which comes before
  others of the same time."
  [in-flight op]
  (sort-by :time (cons op in-flight)))

(defn- simulate*
  "The vector of the operations of a simulation; see `simulate`."
  [ctx gen complete-fn]
  (loop [ops [], in-flight (), gen (gen/validate gen), ctx ctx]
    (let [[op gen' :as answer] (gen/op gen default-test ctx)]
      (cond
        (nil? answer)
        (into ops in-flight)

        (and (not= :pending op)
             (or (empty? in-flight)
                 (<= (:time op) (:time (first in-flight)))))
        (let [thread (context/process->thread ctx (:process op))
              ctx    (context/busy-thread ctx (max (:time ctx) (:time op)) thread)
              gen'   (gen/update gen' default-test ctx op)]
          (recur (conj ops op)
                 (in-flight-with in-flight (complete-fn ctx op))
                 gen' ctx))

        (empty? in-flight)
        (throw (ex-info "the generator is pending, and nothing is in flight"
                        {:type :generator-pending-but-nothing-in-flight
                         :gen  gen
                         :ctx  ctx}))

        :else
        (let [[op & in-flight] in-flight
              thread (context/process->thread ctx (:process op))
              ctx    (context/free-thread ctx (:time op) thread)
              gen    (gen/update gen default-test ctx op)]
          (recur (conj ops op) in-flight gen (after-completion ctx thread op)))))))

(defn simulate
  "The invocations and completions of `gen` in the context `ctx`, by default `default-context`,
  where `(complete-fn ctx invocation)` makes the completion, whose :time says when it happens. Of
  several completions at one time the last invoked comes first."
  ([gen complete-fn] (simulate default-context gen complete-fn))
  ([ctx gen complete-fn]
   (with-fixed-rands
     rand-seed
     (fn []
       (mapv (fn [op] (dissoc (into {} op) :index))
             (simulate* ctx gen complete-fn))))))

(defn- invocations
  "The operations of type :invoke."
  [ops]
  (filterv (fn [op] (= :invoke (:type op))) ops))

(defn quick-ops
  "All operations when each completes as :ok at once."
  ([gen] (quick-ops default-context gen))
  ([ctx gen] (simulate ctx gen (fn [_ctx op] (assoc op :type :ok)))))

(defn quick
  "The invocations when each completes as :ok at once."
  ([gen] (quick default-context gen))
  ([ctx gen] (invocations (quick-ops ctx gen))))

(def perfect-latency-nanos
  "How long operations take, except in quick simulations."
  10)

(defn- complete-later
  "A completion function: `type` after `perfect-latency-nanos`."
  [type]
  (fn [_ctx op]
    (assoc op :type type, :time (+ (:time op) perfect-latency-nanos))))

(defn perfect*
  "All operations when each completes as :ok after 10 ns."
  ([gen] (perfect* default-context gen))
  ([ctx gen] (simulate ctx gen (complete-later :ok))))

(defn perfect
  "The invocations when each completes as :ok after 10 ns."
  ([gen] (perfect default-context gen))
  ([ctx gen] (invocations (perfect* ctx gen))))

(defn perfect-info
  "The invocations when each crashes, as :info, after 10 ns."
  ([gen] (perfect-info default-context gen))
  ([ctx gen] (invocations (simulate ctx gen (complete-later :info)))))

(defn imperfect
  "All operations when each thread's, after 10 ns, first fails, then crashes, then succeeds, and so
  on."
  ([gen] (imperfect default-context gen))
  ([ctx gen]
   (let [last-type (atom {})
         following {nil :fail, :fail :info, :info :ok, :ok :fail}]
     (simulate ctx gen
               (fn [ctx op]
                 (let [thread (context/process->thread ctx (:process op))
                       types  (swap! last-type update thread following)]
                   ((complete-later (get types thread)) ctx op)))))))
