(ns jepsen.generator
  "Generators decide which operations a test performs, when, and in which process.

  A generator is an immutable value with two functions. `op` asks it for the next operation and
  answers one of

    nil             the generator is exhausted, for ever
    [:pending gen]  there is none at the moment; ask again after something has happened
    [op gen]        the operation, an Op, and the generator to use once it has been performed

  `update` tells it of an event, the invocation or completion of any operation, and returns the
  generator to go on with. Whoever drives a generator drops the generator returned by `op` when the
  answer is :pending, or an operation whose :time is yet to come, and asks the old one again later.

  Plain values are generators too:

    nil         is exhausted
    map         is one operation; what it leaves open is filled in by `fill-in-op`
    sequence    its elements, one after the other, without waiting in between
    function    of no arguments, or of the test and the context: called for a generator, which is
                used until it is exhausted; then called again, until it returns nil
    delay       is forced when first asked
    promise     is pending until it is delivered

  Everything else is made by the combinators of this namespace. Those that shape a sequence of
  operations are in generator/shape.clj, those that concern threads in generator/threads.clj and
  those that concern time in generator/timing.clj.

    (->> (mix [{:f :read} {:f :write, :value 1}])
         (stagger 1/10)
         (nemesis (cycle [(sleep 5) {:type :info, :f :start} (sleep 5) {:type :info, :f :stop}]))
         (time-limit 30))

  Random choices are drawn from `jepsen.random`."
  (:refer-clojure :exclude [await concat cycle delay filter map repeat run! update])
  (:require [clojure.core :as core]
            [clojure.tools.logging :as log]
            [jepsen.generator.context :as context]
            [jepsen.history]
            [jepsen.random :as rand]
            [jepsen.util]
            [jepsen.vars :refer [import-vars]])
  (:import (clojure.lang AFunction APersistentMap RestFn Seqable)
           (java.lang.reflect Method)
           (java.util.concurrent ConcurrentHashMap)
           (jepsen.history Op)
           (jepsen.util Forgettable)))

(set! *warn-on-reflection* true)

(import-vars context
             all-but all-processes all-thread-count all-threads busy-thread context free-processes
             free-thread free-thread-count free-threads make-thread-filter process->thread
             some-free-process thread->process thread-free? with-next-process)

(defprotocol Generator
  "A source of operations."
  (update [gen test context event]
    "The generator to go on with after `event`, an invocation or completion. The time of `context`
    is that of the event; the thread of an invocation is already busy, that of a completion already
    free.")
  (op [gen test context]
    "The next operation: nil, [:pending gen] or [op gen]."))

(defn secs->nanos
  "Seconds as a whole number of nanoseconds."
  [s]
  (long (* s 1000000000)))

;;; Maps

(defn- extra-entries
  "The entries of the operation map `m` that are not fields of an Op, or nil."
  [m]
  (not-empty (dissoc m :index :time :type :process :f :value)))

(defn fill-in-op
  "The operation that the map `m` stands for: an Op with index -1, the time of `ctx`, :type :invoke,
  some free process, and nil for :f and :value, where `m` does not say otherwise. :pending if no
  process is free."
  [m ctx]
  (assert (not (instance? Op m)) "a map is expected, and this is an Op already")
  (let [free (context/some-free-process ctx)]
    (if (nil? free)
      :pending
      (let [time    (:time m ctx)
            type    (:type m ctx)
            process (:process m ctx)
            f       (:f m ctx)
            value   (:value m ctx)
            absent  (fn [x] (if (identical? ctx x) 1 0))
            fields  (- 5 (+ (long (absent time)) (long (absent type)) (long (absent process))
                            (long (absent f)) (long (absent value))))]
        (Op. -1
             (if (identical? ctx time) (long (:time ctx)) (long time))
             (if (identical? ctx type) :invoke type)
             (if (identical? ctx process) free process)
             (if (identical? ctx f) nil f)
             (if (identical? ctx value) nil value)
             nil
             (when (< fields (count m)) (extra-entries m)))))))

;;; Functions

(def ^:private ^ConcurrentHashMap arity-cache
  "Class of a function → does it want the test and the context?"
  (ConcurrentHashMap.))

(defn- declared-arities
  "The numbers of arguments for which the class of the function `f` has a method of its own."
  [f]
  (into #{}
        (comp (core/filter (fn [^Method m] (#{"invoke" "invokePrim"} (.getName m))))
              (core/map (fn [^Method m] (.getParameterCount m))))
        (.getDeclaredMethods (class f))))

(defn- wants-context?
  "True if the function `f` is to be called with the test and the context rather than with nothing."
  [f]
  (let [c      (class f)
        cached (.get arity-cache c)]
    (if (some? cached)
      cached
      (let [arities (declared-arities f)
            answer  (cond (contains? arities 2)  true
                          (contains? arities 0)  false
                          (instance? RestFn f)   (pos? (.getRequiredArity ^RestFn f))
                          :else                  false)]
        (.put arity-cache c answer)
        answer))))

(defn- op-of-function
  "What `op` answers for the function `f`."
  [f test ctx]
  (when-some [product (if (wants-context? f) (f test ctx) (f))]
    (when-let [[o product'] (op product test ctx)]
      [o (if (nil? product') f (list product' f))])))

;;; Sequences

(defn- op-of-sequence
  "What `op` answers for a sequence, `xs`: the operation of its first element that has one."
  [xs test ctx]
  (loop [xs (seq xs)]
    (when xs
      (let [more (next xs)]
        (if-let [[o g] (op (first xs) test ctx)]
          [o (if more (cons g more) g)]
          (recur more))))))

(extend-protocol Generator
  nil
  (update [_ _test _ctx _event] nil)
  (op [_ _test _ctx] nil)

  APersistentMap
  (update [this _test _ctx _event] this)
  (op [this _test ctx]
    (let [o (fill-in-op this ctx)]
      [o (when (identical? :pending o) this)]))

  Seqable
  (update [this test ctx event]
    (when-let [xs (seq this)]
      (let [g    (first xs)
            g'   (update g test ctx event)
            more (next xs)]
        (cond (identical? g g') this
              more              (cons g' more)
              :else             g'))))
  (op [this test ctx] (op-of-sequence this test ctx))

  AFunction
  (update [this _test _ctx _event] this)
  (op [this test ctx] (op-of-function this test ctx))

  clojure.lang.Delay
  (update [this test ctx event]
    (if (realized? this) (update @this test ctx event) this))
  (op [this test ctx] (op @this test ctx))

  Forgettable
  (update [this test ctx event] (update @this test ctx event))
  (op [this test ctx] (op @this test ctx)))

(extend (class (promise))
  Generator
  {:update (fn [this test ctx event]
             (if (realized? this) (update @this test ctx event) this))
   :op     (fn [this test ctx]
             (if (realized? this) (op @this test ctx) [:pending this]))})

(defn init!
  "Prepares generators for use. There is nothing to prepare; the API has this function."
  []
  nil)

(defn initialized?
  "True once `init!` has been called or, as here, need not be."
  []
  true)

;;; Checks

(defn- problems
  "A vector of sentences on what is wrong with the answer `res` of a generator."
  [res ctx]
  (if-not (and (vector? res) (= 2 (count res)))
    ["should return a vector of two elements."]
    (let [[o] res]
      (cond
        (= :pending o) []
        (not (instance? Op o)) ["should be either :pending or a jepsen.history.Op"]
        :else
        (cond-> []
          (not (#{:invoke :info :sleep :log} (:type o)))
          (conj ":type should be :invoke, :info, :sleep, or :log")

          (not (number? (:time o)))
          (conj ":time should be a number")

          (not (:process o))
          (conj "no :process")

          (and (:process o)
               (not (thread-free? ctx (process->thread ctx (:process o)))))
          (conj (str "process " (pr-str (:process o)) " is not free")))))))

(defn- plainly-valid?
  "True if the answer `res` is an ordinary invocation for a free thread: the cheap check."
  [res ctx]
  (and (vector? res)
       (= 2 (count res))
       (let [o (nth res 0)]
         (or (identical? :pending o)
             (and (instance? Op o)
                  (identical? :invoke (.type ^Op o))
                  (some? (.process ^Op o))
                  (thread-free? ctx (process->thread ctx (.process ^Op o))))))))

(defrecord Validate [gen]
  Generator
  (update [this test ctx event]
    (let [gen' (update gen test ctx event)]
      (if (identical? gen gen') this (Validate. gen'))))
  (op [_ test ctx]
    (when-some [res (op gen test ctx)]
      (when-not (plainly-valid? res ctx)
        (when-let [problems (not-empty (problems res ctx))]
          (throw (ex-info (str "Generator produced an invalid [op, gen'] tuple: "
                               (first problems))
                          {:type     ::invalid-op
                           :context  ctx
                           :res      res
                           :problems problems}))))
      [(nth res 0) (Validate. (nth res 1))])))

(defn validate
  "Checks everything that `gen` answers. An operation of a wrong shape, or for a process that is not
  free, throws an ex-info of type ::invalid-op with its :problems."
  [gen]
  (when (some? gen)
    (Validate. gen)))

(defn- failed
  "An ex-info for the Throwable `cause` of a generator's function."
  [type what gen ctx cause more]
  (ex-info (str "Generator threw " (class cause) " when asked for " what ": "
                (ex-message cause))
           (merge {:type type, :generator gen, :context ctx} more)
           cause))

(defrecord FriendlyExceptions [gen]
  Generator
  (update [this test ctx event]
    (let [gen' (try (update gen test ctx event)
                    (catch Throwable t
                      (throw (failed ::update-threw "an update" gen ctx t {:event event}))))]
      (cond (identical? gen gen') this
            (some? gen')          (FriendlyExceptions. gen'))))
  (op [_ test ctx]
    (let [res (try (op gen test ctx)
                   (catch Throwable t
                     (throw (failed ::op-threw "an operation" gen ctx t nil))))]
      (when (some? res)
        (let [[o gen'] res]
          [o (when (some? gen') (FriendlyExceptions. gen'))])))))

(defn friendly-exceptions
  "Adds to what `gen` throws which generator and context that happened in. Throws an ex-info of type
  ::op-threw or ::update-threw."
  [gen]
  (when (some? gen)
    (FriendlyExceptions. gen)))

(defrecord Trace [k gen]
  Generator
  (update [_ test ctx event]
    (let [gen' (update gen test ctx event)]
      (log/info k :update event ctx)
      (when (some? gen') (Trace. k gen'))))
  (op [_ test ctx]
    (let [[o gen' :as res] (op gen test ctx)]
      (log/info k :op o ctx)
      (when res
        [o (when (some? gen') (Trace. k gen'))]))))

(defn trace
  "Logs, with the key `k`, every operation and update of `gen`."
  [k gen]
  (when (some? gen)
    (Trace. k gen)))

(load "generator/shape")
(load "generator/threads")
(load "generator/timing")
