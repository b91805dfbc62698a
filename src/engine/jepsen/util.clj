(ns jepsen.util
  "Functions that generators, clients, databases and checkers of every kind share.

  Time, control flow and threads are here; `jepsen.util.coll` and `jepsen.util.latency` hold the
  pure functions on collections and histories, which this namespace re-exports."
  (:refer-clojure :exclude [parse-long])
  (:require [clojure.java.shell :as shell]
            [clojure.string :as str]
            [clojure.tools.logging :as log]
            [clojure.walk :as walk]
            [jepsen.print :as print]
            [jepsen.random :as rand]
            [jepsen.util.coll :as coll]
            [jepsen.util.latency :as latency]
            [jepsen.vars :refer [import-vars]])
  (:import (java.lang.reflect Method)
           (java.time ZonedDateTime)
           (java.util.concurrent BrokenBarrierException CancellationException ExecutionException
                                 Future TimeoutException)
           (java.util.concurrent.locks LockSupport ReentrantLock)))

(set! *warn-on-reflection* true)

(import-vars coll
             chunk-vec coll compare< contains-many? deepfind default
             drop-common-proper-prefix fast-last fixed-point fraction inc*
             integer-interval-set-str longest-common-prefix map-keys map-kv map-vals max-by
             maybe-number min-by name+ nil-if-empty partition-by-vec poly-compare polysort
             sequential)

(import-vars latency history->latencies nemesis-intervals)

(import-vars print
             log-op mute op->str pprint pprint-str print-history prn-op pwrite-history! spy
             test->str write-history!)

;;; Numbers

(defn parse-long
  "The long that the string `s` denotes; throws NumberFormatException when it denotes none."
  [^String s]
  (Long/parseLong s))

(defn majority
  "The smallest number of nodes that is more than half of `n`."
  [n]
  (inc (quot (long n) 2)))

(defn minority
  "The largest number of nodes that is less than half of `n`."
  [n]
  (max 0 (dec (quot (inc (long n)) 2))))

(defn minority-third
  "The largest number of nodes that is less than a third of `n`."
  [n]
  (quot (dec (long n)) 3))

(defn processors
  "How many processors this machine has."
  []
  (.availableProcessors (Runtime/getRuntime)))

;;; Random choice

(def rand-exp
  "An exponentially distributed double with the given mean; see `jepsen.random/exp`."
  rand/exp)

(def rand-nth-empty
  "A random element of a collection, or nil when it is empty; see `jepsen.random/nth-empty`."
  rand/nth-empty)

(def random-nonempty-subset
  "A random subset of a collection; see `jepsen.random/nonempty-subset`."
  rand/nonempty-subset)

(def zipf
  "A Zipf-distributed long; see `jepsen.random/zipf`."
  rand/zipf)

(defn rand-distribution
  "A random number or value, drawn as the map `spec` says:

    :distribution  :uniform (the default), :geometric, :zipf, :one-of or :weighted
    :min :max      for :uniform, a half-open interval; by default [0, Long/MAX_VALUE)
    :p             for :geometric, the probability of success
    :n :skew       for :zipf, the number of values and the optional exponent
    :values        for :one-of, a collection
    :weights       for :weighted, a map of values to weights"
  [{:keys [distribution p n skew values weights] :as spec}]
  (case (or distribution :uniform)
    :uniform   (let [lower (:min spec 0)
                     upper (:max spec Long/MAX_VALUE)]
                 (assert (< lower upper) (str "no number in " spec))
                 (rand/long lower upper))
    :geometric (do (assert (number? p) (str "no :p in " spec))
                   (rand/geometric p))
    :zipf      (do (assert (number? n) (str "no :n in " spec))
                   (rand/zipf (or skew rand/zipf-default-skew) n))
    :one-of    (do (assert (seq values) (str "no :values in " spec))
                   (rand/nth (vec values)))
    :weighted  (do (assert (seq weights) (str "no :weights in " spec))
                   (rand/weighted weights))
    (throw (AssertionError. (str "unknown distribution in " spec)))))

;;; Time

(defn secs->nanos
  "Seconds as nanoseconds, a double."
  [s]
  (* s 1e9))

(defn nanos->secs
  "Nanoseconds as seconds, a double."
  [nanos]
  (/ nanos 1e9))

(defn ms->nanos
  "Milliseconds as nanoseconds."
  [ms]
  (* ms 1000000))

(defn nanos->ms
  "Nanoseconds as milliseconds, exactly: possibly a ratio."
  [nanos]
  (/ nanos 1000000))

(defn linear-time-nanos
  "A monotonic clock's reading in nanoseconds; only differences have a meaning."
  ^long []
  (System/nanoTime))

(def ^:dynamic *relative-time-origin*
  "The reading of `linear-time-nanos` at which the current run began."
  nil)

(defn relative-time-nanos
  "Nanoseconds since the current run began."
  ^long []
  (- (linear-time-nanos) (long *relative-time-origin*)))

(defmacro with-relative-time
  "Evaluates `body` in a run that begins now: `relative-time-nanos` counts from here."
  [& body]
  `(binding [*relative-time-origin* (linear-time-nanos)]
     ~@body))

(defn sleep
  "Sleeps for `ms` milliseconds, which may be a fraction, to within a fraction of a millisecond."
  [ms]
  (let [deadline (+ (linear-time-nanos) (long (* ms 1000000)))]
    (loop []
      (let [left (- deadline (linear-time-nanos))]
        (when (pos? left)
          (when (Thread/interrupted)
            (throw (InterruptedException.)))
          (LockSupport/parkNanos left)
          (recur))))))

(defn local-time
  "The wall clock's time in the local zone, a java.time.ZonedDateTime."
  []
  (ZonedDateTime/now))

(defmacro time-
  "Evaluates `body` for its effects and returns how many milliseconds that took."
  [& body]
  `(let [begin# (linear-time-nanos)]
     ~@body
     (/ (- (linear-time-nanos) begin#) 1e6)))

;;; Exceptions

(defn exception?
  "True if `x` is an Exception."
  [x]
  (instance? Exception x))

(defn fcatch
  "A function like `f`, which returns the Exceptions that `f` throws."
  [f]
  (fn [& args]
    (try (apply f args)
         (catch Exception e e))))

(defmacro meh
  "Evaluates `body`; an Exception it throws is returned instead."
  [& body]
  `(try ~@body
        (catch Exception e# e#)))

(defn exception-message
  "The message of the Throwable `t`, or its class name when it has none."
  [^Throwable t]
  (or (.getMessage t) (.getName (class t))))

(defn ex-root-cause
  "The innermost cause of the Throwable `t`: itself when it has no cause."
  [^Throwable t]
  (if-let [cause (.getCause t)]
    (recur cause)
    t))

;;; Control flow

(defn timeout*
  "See `timeout`."
  [ms timeout-val thunk]
  (let [^Future worker (future-call thunk)
        result         (try (deref worker ms ::timeout)
                            (catch ExecutionException e
                              (throw (or (.getCause e) e)))
                            (finally (future-cancel worker)))]
    (if (identical? ::timeout result)
      timeout-val
      result)))

(defmacro timeout
  "Evaluates `body` in another thread. After `ms` milliseconds that thread is interrupted and the
  value is `timeout-val`, which is evaluated only then. What `body` throws is thrown here."
  [ms timeout-val & body]
  `(let [result# (timeout* ~ms ::timeout (fn [] ~@body))]
     (if (identical? ::timeout result#)
       ~timeout-val
       result#)))

(defn await-fn
  "Calls the function `f` until it returns without an Exception, and returns its value. Options:

    :retry-interval  milliseconds between attempts (1000)
    :log-interval    milliseconds between messages (as :retry-interval)
    :log-message     what to log while waiting
    :timeout         milliseconds until an ex-info of type :timeout is thrown (60000)"
  ([f] (await-fn f {}))
  ([f opts]
   (let [retry-interval (long (:retry-interval opts 1000))
         log-interval   (long (:log-interval opts retry-interval))
         log-message    (:log-message opts (str "Waiting for " f "..."))
         timeout-ms     (long (:timeout opts 60000))
         begin          (linear-time-nanos)]
     (loop [next-log-ms log-interval]
       (let [result (try [(f)]
                         (catch InterruptedException e (throw e))
                         (catch Exception e e))]
         (if (vector? result)
           (first result)
           (let [elapsed-ms (quot (- (linear-time-nanos) begin) 1000000)]
             (when (<= timeout-ms (+ elapsed-ms retry-interval))
               (throw (ex-info "timed out" {:type :timeout} result)))
             (when (<= next-log-ms elapsed-ms)
               (log/info log-message))
             (sleep retry-interval)
             (recur (if (<= next-log-ms elapsed-ms)
                      (+ elapsed-ms log-interval)
                      next-log-ms)))))))))

(defn retry*
  "See `retry`."
  [dt-secs thunk]
  (let [result (try [(thunk)]
                    (catch InterruptedException e (throw e))
                    (catch Throwable _ nil))]
    (if result
      (first result)
      (do (sleep (* 1000 dt-secs))
          (recur dt-secs thunk)))))

(defmacro retry
  "Evaluates `body` until it throws nothing, `dt-secs` seconds apart. An interrupt ends it."
  [dt-secs & body]
  `(retry* ~dt-secs (fn [] ~@body)))

(deftype Return [value])
(deftype Retry [args])

(defn- call-of?
  "True if `form` is a call of the function named by `sym`."
  [sym form]
  (and (seq? form) (= sym (first form))))

(defn- replace-calls
  "Replaces calls `(sym & args)` anywhere in `form` by `(f args)`."
  [sym f form]
  (walk/prewalk (fn [x] (if (call-of? sym x) (f (rest x)) x)) form))

(defmacro with-retry
  "Evaluates `body` with the pairs `bindings` of symbols and values. Within a trailing `catch`
  clause, in tail position, `(retry & values)` starts over with new values for the symbols.

    (with-retry [tries 3]
      (connect)
      (catch IOException e
        (if (pos? tries) (retry (dec tries)) (throw e))))"
  [bindings & body]
  (let [syms      (mapv first (partition 2 bindings))
        clause?   (fn [form] (or (call-of? 'catch form) (call-of? 'finally form)))
        clauses   (filter clause? body)
        expand    (fn [form]
                    (replace-calls 'retry
                                   (fn [args] `(Retry. [~@(if (seq args) args syms)]))
                                   form))
        result    (gensym "result")
        retry-sym (with-meta (gensym "retry") {:tag `Retry})]
    `(loop [~@bindings]
       (let [~result (try ~@(remove clause? body)
                          ~@(map expand clauses))]
         (if (instance? Retry ~result)
           (let [~retry-sym ~result
                 ~syms      (.args ~retry-sym)]
             (recur ~@syms))
           ~result)))))

(defmacro letr
  "Like `let`, but a binding's expression may, in tail position, have the form `(return x)`,
  which makes x the value of the whole form.

    (letr [account (find-account id)
           _       (when-not account (return :not-found))]
      (:balance account))"
  [bindings & body]
  (if-let [[sym expr & more] (seq bindings)]
    (let [expr' (replace-calls 'return (fn [[x]] `(Return. ~x)) expr)]
      (if (= expr expr')
        `(let [~sym ~expr]
           (letr [~@more] ~@body))
        (let [result (gensym "result")]
          `(let [~result ~expr']
             (if (instance? Return ~result)
               (.value ~(with-meta result {:tag `Return}))
               (let [~sym ~result]
                 (letr [~@more] ~@body)))))))
    `(do ~@body)))

;;; Threads

(defmacro with-thread-name
  "Evaluates `body` while the current thread is called `thread-name`."
  [thread-name & body]
  `(let [thread# (Thread/currentThread)
         before# (.getName thread#)]
     (try (.setName thread# (str ~thread-name))
          ~@body
          (finally (.setName thread# before#)))))

(defn with-shutdown-hook*
  "See `with-shutdown-hook`."
  [hook thunk]
  (let [thread  (Thread. ^Runnable hook "jepsen shutdown hook")
        runtime (Runtime/getRuntime)]
    (.addShutdownHook runtime thread)
    (try (thunk)
         (finally
           (try (.removeShutdownHook runtime thread)
                (catch IllegalStateException _shutting-down))))))

(defmacro with-shutdown-hook
  "Evaluates `body`. If the JVM is shut down meanwhile, the function `hook` is called."
  [hook & body]
  `(with-shutdown-hook* ~hook (fn [] ~@body)))

(defn- secondary?
  "True if the Throwable `t` tells of another thread's failure rather than of a failure."
  [t]
  (or (instance? BrokenBarrierException t)
      (instance? TimeoutException t)
      (instance? CancellationException t)
      (instance? InterruptedException t)))

(defn real-pmap
  "Applies `f` to the elements of `coll`, each in a thread of its own, and returns a vector of the
  results once all threads have ended. When some threw, the most interesting Throwable is thrown:
  one that is not merely the echo of another thread's."
  [f coll]
  (let [workers (mapv (fn [x] (future (try [(f x)] (catch Throwable t t)))) coll)
        results (try (mapv deref workers)
                     (catch InterruptedException e
                       (run! future-cancel workers)
                       (throw e)))
        thrown  (remove vector? results)]
    (if (seq thrown)
      (throw (or (first (remove secondary? thrown)) (first thrown)))
      (mapv first results))))

(defn named-locks
  "A new family of locks, each known by a name; a lock is made when its name is first used."
  []
  (atom {}))

(defn get-named-lock!
  "The lock of the family `locks` that `lock-name` names."
  ^ReentrantLock [locks lock-name]
  (or (get @locks lock-name)
      (get (swap! locks (fn [m]
                          (if (contains? m lock-name)
                            m
                            (assoc m lock-name (ReentrantLock.)))))
           lock-name)))

(defmacro with-named-lock
  "Evaluates `body` while holding the lock of the family `locks` that `lock-name` names."
  [locks lock-name & body]
  `(let [lock# (get-named-lock! ~locks ~lock-name)]
     (.lock lock#)
     (try ~@body
          (finally (.unlock lock#)))))

(defn lazy-atom
  "An atom whose initial value is the result of calling `f`, made when the atom is first read or
  changed."
  [f]
  (let [state (delay (atom (f)))]
    (reify
      clojure.lang.IAtom
      (swap [_ g] (swap! @state g))
      (swap [_ g x] (swap! @state g x))
      (swap [_ g x y] (swap! @state g x y))
      (swap [_ g x y more] (apply swap! @state g x y more))
      (compareAndSet [_ before after] (compare-and-set! @state before after))
      (reset [_ x] (reset! @state x))

      clojure.lang.IDeref
      (deref [_] @@state))))

(defn arities
  "The numbers of arguments that the methods of the function class `c` take."
  [^Class c]
  (into #{}
        (comp (filter (fn [^Method m] (= "invoke" (.getName m))))
              (map (fn [^Method m] (.getParameterCount m))))
        (.getDeclaredMethods c)))

;;; Forgettable references

(defprotocol IForgettable
  "A reference that can be made to forget its value, so that a lazy sequence is not retained."
  (forget! [this]
    "Drops the value. Later attempts to read it throw."))

(deftype Forgettable [^:volatile-mutable value]
  IForgettable
  (forget! [_]
    (set! value ::forgotten))

  clojure.lang.IDeref
  (deref [_]
    (if (identical? ::forgotten value)
      (throw (IllegalStateException. "the value of this reference was forgotten"))
      value))

  Object
  (toString [_]
    (str "#<Forgettable " (if (identical? ::forgotten value) "?" value) ">")))

(defmethod print-method Forgettable
  [x ^java.io.Writer w]
  (.write w (str x)))

(defn forgettable
  "A reference to `x` which `forget!` empties; `deref` reads it."
  [x]
  (Forgettable. x))

;;; Processes

(defn sh
  "Runs a command on this machine, with the arguments of `clojure.java.shell/sh`, and returns
  `{:exit :out :err}`. A non-zero exit status throws an ex-info of type ::nonzero-exit with the
  same keys and :cmd."
  [& args]
  (let [{:keys [exit err] :as result} (apply shell/sh args)]
    (when-not (zero? exit)
      (throw (ex-info (str "command exited with status " exit ": " (str/trim err))
                      (assoc result :type ::nonzero-exit, :cmd (vec (take-while string? args))))))
    result))
