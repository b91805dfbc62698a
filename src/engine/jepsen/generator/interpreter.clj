(ns jepsen.generator.interpreter
  "Runs a generator for real: has its operations performed by threads, and records what happens.

  All decisions are made by `step`, a pure function from a state and a completion, if there is one,
  to the next state, which also says what is to be done: which operation to record, which to hand to
  a worker, how long to wait.

  Steps are taken one at a time, under a lock, but by no thread in particular. Whoever completes an
  operation takes the steps that follow from it, unless another thread is at it already, which then
  takes them too; the thread that called `run!` takes those for which the time has come. So a fast
  operation does not have to wait for another thread to be woken.

  Completions always go before new invocations. The time of a completion is that of its step, the
  time of an invocation is what the generator says."
  (:refer-clojure :exclude [run!])
  (:require [clojure.tools.logging :as log]
            [jepsen.generator :as gen]
            [jepsen.generator.context :as context]
            [jepsen.generator.interpreter.mailbox :as mailbox]
            [jepsen.generator.interpreter.worker :as worker]
            [jepsen.history :as history]
            [jepsen.util :as util])
  (:import (java.util ArrayList)
           (java.util.concurrent.atomic AtomicLong AtomicReference)
           (java.util.concurrent.locks LockSupport ReentrantLock)
           (jepsen.generator.context Context)
           (jepsen.history Op)))

(set! *warn-on-reflection* true)

(def max-pending-interval
  "How long, in microseconds, to wait before a generator that is pending is asked again."
  1000)

;;; Steps

;; gen           the generator
;; ctx           its context
;; next-index    the index of the next operation recorded
;; outstanding   how many operations have been handed out and not been completed
;; What is to be done, each until the next step:
;; recorded      an operation to append to the history, or nil
;; dispatched    an operation to hand to a worker, or nil
;; thread        whose worker that is
;; wait-nanos    how long to wait, unless an operation completes before; -1 if not at all
;; done?         true at the end of the run
(defrecord State [gen ctx ^long next-index ^long outstanding
                  recorded dispatched thread ^long wait-nanos done?])

(defn initial-state
  "The state in which a run of `gen` begins, with the context `ctx`."
  [gen ctx]
  (State. gen ctx 0 0 nil nil nil -1 false))

(defn- recorded?
  "True if operations of the type of `op` belong in the history."
  [^Op op]
  (let [type (.type op)]
    (not (or (identical? :sleep type) (identical? :log type)))))

(defn- after-completion
  "The state once `completion` has arrived, at the time `now`."
  [test ^State state ^long now completion]
  (let [index  (.next-index state)
        ^Op op (history/stamp completion index now)
        thread (context/process->thread (.ctx state) (.process op))
        ctx    (context/free-thread (.ctx state) now thread)
        gen    (gen/update (.gen state) test ctx op)
        ctx    (if (or (identical? :info (.type op)) (:end-process? op))
                 (context/with-next-process ctx thread)
                 ctx)
        record (recorded? op)]
    (State. gen ctx (if record (inc index) index) (dec (.outstanding state))
            (when record op) nil nil -1 false)))

(defn- waiting
  "The state in which nothing is to be done for `nanos` nanoseconds."
  [^State state ^long nanos]
  (State. (.gen state) (.ctx state) (.next-index state) (.outstanding state)
          nil nil nil nanos false))

(defn- dispatching
  "The state once the operation `op` has been invoked, with `gen` as the generator returned with
  it." [test ^State state ctx ^Op op gen]
  (let [record (recorded? op)
        index  (.next-index state)
        op     (if record (history/stamp op index (.time op)) op)
        thread (context/process->thread ctx (.process ^Op op))
        ctx    (context/busy-thread ctx (.time ^Op op) thread)
        gen    (gen/update gen test ctx op)]
    (State. gen ctx (if record (inc index) index) (inc (.outstanding state))
            (when record op) op thread -1 false)))

(defn- after-asking
  "The state once the generator has been asked, at the time `now`."
  [test ^State state ^long now]
  (let [ctx          (context/with-time (.ctx state) now)
        pending-wait (* 1000 (long max-pending-interval))
        answer       (gen/op (.gen state) test ctx)]
    (if (nil? answer)
      (if (pos? (.outstanding state))
        (waiting state pending-wait)
        (assoc (waiting state -1) :done? true))
      (let [op (nth answer 0)]
        (cond
          (identical? :pending op) (waiting state pending-wait)
          (< now (.time ^Op op))   (waiting state (- (.time ^Op op) now))
          :else                    (dispatching test state ctx op (nth answer 1)))))))

(defn step
  "The state after `state`: once `completion`, a completed operation, has arrived at the time `now`
  or, if that is nil, once the generator has been asked for an operation. See State for what is then
  to be done. Times are in nanoseconds since the run began."
  [test state ^long now completion]
  (if (nil? completion)
    (after-asking test state now)
    (after-completion test state now completion)))

;;; Taking steps

;; test         the test map
;; record!      appends an operation to the history
;; origin       the reading of the clock at which the run began
;; lock         held by whoever takes steps
;; state        an AtomicReference of the State; only for the holder of the lock
;; completions  a pile of completed operations
;; mailboxes    thread → mailbox
;; runner       the Thread that called `run!`
;; wake-nanos   an AtomicLong: the time at which the runner has to take a step
;; outcome      an AtomicReference: nil, then :done, or the Throwable that ended the run
(defrecord Run [test record! ^long origin ^ReentrantLock lock ^AtomicReference state completions
                mailboxes runner ^AtomicLong wake-nanos ^AtomicReference outcome])

(defn- now
  "Nanoseconds since the run began."
  ^long [^Run run]
  (- (util/linear-time-nanos) (.origin run)))

(defn- finish!
  "Ends the run with `outcome`, unless it has ended already, and wakes the runner."
  [^Run run outcome]
  (.compareAndSet ^AtomicReference (.outcome run) nil outcome)
  (LockSupport/unpark (.runner run)))

(defn- wake-at!
  "Has the runner take a step at the time `nanos`. It wakes by itself at `wake-nanos` and looks
  there again, so it is only woken if that would be too late."
  [^Run run ^long nanos]
  (let [^AtomicLong wake (.wake-nanos run)
        before (.getAndSet wake nanos)]
    (when (< nanos before)
      (LockSupport/unpark (.runner run)))))

(defn- carry-out!
  "Does what `state` says is to be done, except that the owner of a mailbox may still have to be
  woken: such mailboxes are added to `sleepers`."
  [^Run run ^State state ^ArrayList sleepers]
  (when-some [op (.recorded state)]
    ((.record! run) op))
  (when-some [op (.dispatched state)]
    (let [mailbox (get (.mailboxes run) (.thread state))]
      (when (mailbox/put! mailbox op)
        (.add sleepers mailbox)))))

(defn- step!
  "Takes one step and returns the state after it."
  ^State [^Run run state completion sleepers]
  (let [state (step (.test run) state (now run) completion)]
    (carry-out! run state sleepers)
    state))

(def ^:private steps-per-turn
  "After so many steps the lock is let go, so that others can take theirs."
  64)

(def ^:private steps-beyond-own
  "How many more steps a worker's thread takes at most once it has an operation of its own to
  perform."
  16)

(defn- complete!
  "Takes the steps for all completions that have arrived."
  [^Run run state sleepers]
  (reduce (fn [state completion] (step! run state completion sleepers))
          state
          (mailbox/take-all! (.completions run))))

(defn- take-steps!
  "Takes steps, as the holder of the lock, until there is nothing to do or it is time to let it go.
  `thread` is that of the worker whose turn it is. Returns one of

    :idle  nothing to do for now
    :own   the worker has an operation of its own to perform, and there may be more to do
    :more  there may be more to do"
  [^Run run thread sleepers]
  (loop [^State state (.get ^AtomicReference (.state run))
         left         (long steps-per-turn)
         own          false]
    (let [state (step! run (complete! run state sleepers) nil sleepers)
          own'  (or own (and (some? thread) (= thread (.thread state))))
          left  (if (= own own') (dec left) (min left (long steps-beyond-own)))]
      (.set ^AtomicReference (.state run) state)
      (cond
        (.done? state)                   (do (finish! run :done) :idle)
        (not (neg? (.wait-nanos state))) (do (wake-at! run (+ (now run) (.wait-nanos state)))
                                             :idle)
        (pos? left)                      (recur state left own')
        own'                             :own
        :else                            :more))))

(defn- take-steps-and-unlock!
  "Does what `take-steps!` does, releases the lock, and wakes the workers that were given something
  to do: after that, for waking is slow."
  [^Run run thread]
  (let [sleepers (ArrayList.)
        result   (try
                   (if (nil? (.get ^AtomicReference (.outcome run)))
                     (take-steps! run thread sleepers)
                     :idle)
                   (catch Throwable t
                     (finish! run t)
                     :idle)
                   (finally
                     (.unlock ^ReentrantLock (.lock run))))]
    (dotimes [i (.size sleepers)]
      (mailbox/wake! (.get sleepers i)))
    result))

(def ^:private relief-nanos
  "How soon the runner goes on where a worker's thread stopped for an operation of its own, unless
  another worker's thread has done so."
  100000)

(defn- take-turn!
  "Takes the steps there are to take, unless another thread is at it. `thread` is that of the worker
  whose turn it is."
  [^Run run thread]
  (when (.tryLock ^ReentrantLock (.lock run))
    (let [result (take-steps-and-unlock! run thread)]
      (cond
        (identical? :own result)
        (wake-at! run (+ (now run) (long relief-nanos)))

        (and (or (identical? :more result)
                 (not (mailbox/empty-pile? (.completions run))))
             (nil? (.get ^AtomicReference (.outcome run))))
        (recur run thread)))))

(defn- await-outcome!
  "Takes the steps that are due, as the runner, until the run has ended. Returns its outcome."
  [^Run run]
  (loop []
    (or (.get ^AtomicReference (.outcome run))
        (let [wait-nanos (- (.get ^AtomicLong (.wake-nanos run)) (now run))]
          (cond
            (Thread/interrupted) (finish! run (InterruptedException.))
            (pos? wait-nanos)    (LockSupport/parkNanos run wait-nanos)
            :else                (do (.lock ^ReentrantLock (.lock run))
                                     (take-steps-and-unlock! run nil)))
          (recur)))))

;;; Running

(def ^:private exit-timeout-ms
  "How long workers may take to close their clients at the end of a run."
  60000)

(def ^:private abort-timeout-ms
  "How long workers may take to end after a run that went wrong."
  5000)

(defn- new-run
  "The Run of `test`, which begins with the generator `gen`."
  [test gen]
  (let [ctx (context/context test)]
    (map->Run {:test        (dissoc test :generator)
               :record!     (:history-writer (:store test))
               :origin      util/*relative-time-origin*
               :lock        (ReentrantLock.)
               :state       (AtomicReference. (initial-state gen ctx))
               :completions (mailbox/pile)
               :mailboxes   (into {}
                                  (map (fn [thread] [thread (mailbox/mailbox)]))
                                  (context/all-threads ctx))
               :runner      (Thread/currentThread)
               :wake-nanos  (AtomicLong. 0)
               :outcome     (AtomicReference.)})))

(defn- exit-workers!
  "Tells all workers of `run` to end."
  [{:keys [mailboxes]}]
  (doseq [mailbox (vals mailboxes)]
    (mailbox/put! mailbox {:type :exit})
    (mailbox/wake! mailbox)))

(defn- start-workers!
  "Starts a worker for every thread of `run`. Returns their Threads."
  [{:keys [test mailboxes completions] :as run}]
  (try
    (mapv (fn [[thread mailbox]]
            (worker/start! test thread mailbox
                           (fn [op]
                             (mailbox/add! completions op)
                             (take-turn! run thread))))
          mailboxes)
    (catch Throwable t
      (exit-workers! run)
      (throw t))))

(defn- join!
  "Waits up to `timeout-ms` milliseconds until all of `threads` have ended."
  [threads timeout-ms]
  (let [deadline (+ (util/linear-time-nanos) (* 1000000 (long timeout-ms)))]
    (doseq [^Thread thread threads]
      (.join thread (max 1 (quot (- deadline (util/linear-time-nanos)) 1000000)))
      (when (.isAlive thread)
        (log/warn (.getName thread) "did not end in time")))))

(defn- stop-workers!
  "Ends the workers of `run` after its outcome."
  [run threads outcome]
  (let [aborted (not= :done outcome)]
    (when aborted
      (doseq [^Thread thread threads]
        (.interrupt thread)))
    (exit-workers! run)
    (join! threads (if aborted abort-timeout-ms exit-timeout-ms))))

(defn- take-generator!
  "The generator of `test`, which the test then forgets if it can, so that what has been generated
  need not be kept."
  [{:keys [generator]}]
  (if (instance? jepsen.util.Forgettable generator)
    (let [gen @generator]
      (util/forget! generator)
      gen)
    generator))

(defn- run-from-origin!
  "See `run!`."
  [test]
  (let [run     (new-run test (-> (take-generator! test)
                                  gen/friendly-exceptions
                                  gen/validate))
        threads (start-workers! run)
        outcome (try (await-outcome! run)
                     (catch Throwable t
                       (finish! run t)
                       t))]
    (stop-workers! run threads outcome)
    (when (instance? Throwable outcome)
      (throw ^Throwable outcome))
    (dissoc test :generator)))

(defn run!
  "Performs the operations of the generator of `test` and records invocations and completions with
  the function `(:history-writer (:store test))`. Returns the test without its generator. What a
  generator throws ends the run and is thrown here."
  [test]
  (gen/init!)
  (if util/*relative-time-origin*
    (run-from-origin! test)
    (util/with-relative-time (run-from-origin! test))))
