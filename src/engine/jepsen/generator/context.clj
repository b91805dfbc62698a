(ns jepsen.generator.context
  "What a generator may know when it is asked for an operation: the time, which threads there are,
  which of them are free, and which process each of them runs.

  Threads are the numbers 0 to concurrency - 1, for clients, and :nemesis. Each has a position: its
  number, and for the nemesis the one after. A thread runs one process at a time; the first process
  of a thread is the thread itself. When a client's process crashes, its thread goes on with the
  next one, so that process numbers are never used twice.

  A context is a map of :time and whatever users put there with `assoc`. It can be restricted to
  some of the threads, which leaves the numbers of processes known but hides the other threads.

  Which free thread comes next is decided by rotation: `some-free-process` looks from a cursor that
  every dispatched operation moves on by one."
  (:require [jepsen.generator.bits :as bits])
  (:import (clojure.lang IFn IPersistentMap MapEntry)))

(set! *warn-on-reflection* true)

(defn- no-such-key
  "Refuses a key that older versions of the API had."
  [k]
  (throw (UnsupportedOperationException.
           (str "contexts have no key " k "; use the functions of jepsen.generator.context"))))

;; time       nanoseconds since the run began
;; cursor     the position from which `some-free-process` looks
;; clients    the number of client threads; the position of the nemesis
;; all        the positions of the threads in sight
;; free       those of them that are free
;; processes  the process of the thread at each position
;; more       the user's entries, a map
(deftype Context [^long time ^long cursor ^long clients ^longs all ^longs free ^objects processes
                  ^IPersistentMap more]
  IPersistentMap
  (valAt [this k] (.valAt this k nil))
  (valAt [_ k not-found]
    (case k
      :time                    time
      (:workers :free-threads) (no-such-key k)
      (.valAt more k not-found)))
  (containsKey [_ k] (or (identical? :time k) (.containsKey more k)))
  (entryAt [this k] (when (.containsKey this k) (MapEntry/create k (.valAt this k))))
  (assoc [_ k v]
    (case k
      :time                    (Context. (long v) cursor clients all free processes more)
      (:workers :free-threads) (no-such-key k)
      (Context. time cursor clients all free processes (.assoc more k v))))
  (assocEx [this k v]
    (if (.containsKey this k)
      (throw (RuntimeException. (str "key already present: " k)))
      (.assoc this k v)))
  (without [_ k]
    (case k
      (:time :workers :free-threads) (no-such-key k)
      (Context. time cursor clients all free processes (.without more k))))
  (count [_] (inc (count more)))
  (seq [_] (cons (MapEntry/create :time time) (seq more)))
  (cons [this x] (reduce (fn [^IPersistentMap m [k v]] (.assoc m k v)) this
                         (if (map-entry? x) [x] x)))
  (empty [_] (throw (UnsupportedOperationException. "there is no empty context")))
  (equiv [this other]
    (and (instance? Context other)
         (= (seq this) (seq other))
         (let [^Context other other]
           (and (= cursor (.cursor other))
                (= (seq all) (seq (.all other)))
                (= (seq free) (seq (.free other)))
                (= (seq processes) (seq (.processes other)))))))
  (iterator [this] (.iterator ^Iterable (.seq this)))

  IFn
  (invoke [this k] (.valAt this k nil))
  (invoke [this k not-found] (.valAt this k not-found))

  Object
  (hashCode [this] (.hashCode ^Object (.seq this)))
  (equals [this other] (.equiv this other))
  (toString [this]
    (str "#<Context " {:time      time
                       :all       (bits/numbers all)
                       :free      (bits/numbers free)
                       :processes (vec processes)
                       :more      more} ">")))

(defmethod print-method Context
  [ctx ^java.io.Writer w]
  (.write w (str ctx)))

(defn context
  "A new context for the map `test`, of which only :concurrency matters: time zero, all threads
  free."
  [test]
  (let [clients (long (:concurrency test))
        all     (bits/below (inc clients))]
    (Context. 0 0 clients all all
              (object-array (concat (range clients) [:nemesis]))
              {})))

;;; Threads and processes

(defn- position
  "The position of `thread`, or -1 when there is no such thread."
  ^long [^Context ctx thread]
  (cond (identical? :nemesis thread) (.clients ctx)
        (and (int? thread)
             (<= 0 (long thread))
             (< (long thread) (.clients ctx))) (long thread)
        :else                        -1))

(defn- thread-at
  "The thread at a position."
  [^Context ctx ^long position]
  (if (= position (.clients ctx)) :nemesis position))

(defn- compare-threads
  "Orders client threads by number, and the nemesis after them."
  [a b]
  (if (and (int? a) (int? b))
    (compare a b)
    (compare [(if (int? a) 0 1) (str a)] [(if (int? b) 0 1) (str b)])))

(defn- threads-at
  "The sorted set of the threads at the positions `bits`."
  [ctx bits]
  (into (sorted-set-by compare-threads)
        (map (fn [position] (thread-at ctx position)))
        (bits/numbers bits)))

(defn all-threads
  "The set of all threads of `ctx`, in order."
  [^Context ctx]
  (threads-at ctx (.all ctx)))

(defn free-threads
  "The set of the free threads of `ctx`, in order."
  [^Context ctx]
  (threads-at ctx (.free ctx)))

(defn all-thread-count
  "How many threads `ctx` has."
  ^long [^Context ctx]
  (bits/size (.all ctx)))

(defn free-thread-count
  "How many threads of `ctx` are free."
  ^long [^Context ctx]
  (bits/size (.free ctx)))

(defn- processes-at
  "The vector of the processes at the positions `bits`."
  [^Context ctx bits]
  (let [^objects processes (.processes ctx)]
    (mapv (fn [position] (aget processes (int position)))
          (bits/numbers bits))))

(defn all-processes
  "The vector of the processes of all threads of `ctx`, in the order of the threads."
  [^Context ctx]
  (processes-at ctx (.all ctx)))

(defn free-processes
  "The vector of the processes of the free threads of `ctx`, in the order of the threads."
  [^Context ctx]
  (processes-at ctx (.free ctx)))

(defn thread->process
  "The process that `thread` runs, or nil when there is no such thread."
  [^Context ctx thread]
  (let [position (position ctx thread)]
    (when-not (neg? position)
      (aget ^objects (.processes ctx) position))))

(defn process->thread
  "The thread that runs `process`, or nil when none does."
  [^Context ctx process]
  (let [thread (if (and (int? process) (pos? (.clients ctx)))
                 (rem (long process) (.clients ctx))
                 process)]
    (when (= process (thread->process ctx thread))
      thread)))

(defn thread-free?
  "True if `thread` is free."
  [^Context ctx thread]
  (let [position (position ctx thread)]
    (and (not (neg? position))
         (bits/bit? (.free ctx) position))))

(defn some-free-process
  "The process of the first free thread at or after the cursor, or else of the first free thread;
  nil when no thread is free."
  [^Context ctx]
  (let [free     (.free ctx)
        after    (bits/next-bit free (.cursor ctx))
        position (if (neg? after) (bits/next-bit free 0) after)]
    (when-not (neg? position)
      (aget ^objects (.processes ctx) position))))

;;; Events

(defn with-time
  "The context `ctx` at another time."
  [^Context ctx ^long time]
  (Context. time (.cursor ctx) (.clients ctx) (.all ctx) (.free ctx) (.processes ctx) (.more ctx)))

(defn busy-thread
  "The context `ctx` at `time`, once `thread` has been given an operation. Moves the cursor on."
  [^Context ctx ^long time thread]
  (let [cursor (if (= (.cursor ctx) (.clients ctx)) 0 (inc (.cursor ctx)))]
    (Context. time cursor (.clients ctx) (.all ctx)
              (bits/without-bit (.free ctx) (position ctx thread))
              (.processes ctx) (.more ctx))))

(defn free-thread
  "The context `ctx` at `time`, once `thread` has completed its operation."
  [^Context ctx ^long time thread]
  (Context. time (.cursor ctx) (.clients ctx) (.all ctx)
            (bits/with-bit (.free ctx) (position ctx thread))
            (.processes ctx) (.more ctx)))

(defn with-next-process
  "The context `ctx` after `thread` has given up its process for the next one. The nemesis has only
  one."
  [^Context ctx thread]
  (if (int? thread)
    (let [^objects processes (aclone ^objects (.processes ctx))
          position           (position ctx thread)]
      (aset processes position (Long/valueOf (+ (long (aget processes position))
                                                (.clients ctx))))
      (Context. (.time ctx) (.cursor ctx) (.clients ctx) (.all ctx) (.free ctx) processes
                (.more ctx)))
    ctx))

;;; Restriction

(defn all-but
  "A predicate that is true of everything but `x`."
  [x]
  (fn [y] (not= x y)))

(defn- mask-of
  "The positions of all threads of the test for which `pred` is truthy."
  [^Context ctx pred]
  (reduce (fn [mask position]
            (if (pred (thread-at ctx position))
              (bits/with-bit mask position)
              mask))
          (bits/none (inc (.clients ctx)))
          (range (inc (.clients ctx)))))

(defn- restrict
  "The context `ctx` restricted to the threads in sight that `mask` has too."
  [^Context ctx ^longs mask]
  (Context. (.time ctx) (.cursor ctx) (.clients ctx)
            (bits/both (.all ctx) mask)
            (bits/both (.free ctx) mask)
            (.processes ctx) (.more ctx)))

(defn make-thread-filter
  "A function that restricts a context to the threads for which `pred` is truthy. The predicate is
  called once for each thread: now if a context is given, otherwise when the filter is first used.
  All contexts the filter is used on must be of one test."
  ([pred]
   (let [mask (volatile! nil)]
     (fn [ctx]
       (restrict ctx (or @mask (vreset! mask (mask-of ctx pred)))))))
  ([pred ctx]
   (let [mask (mask-of ctx pred)]
     (fn [ctx] (restrict ctx mask)))))

(defn only-thread
  "The context `ctx` restricted to `thread`."
  [^Context ctx thread]
  (restrict ctx (bits/with-bit (bits/none (inc (.clients ctx))) (position ctx thread))))
