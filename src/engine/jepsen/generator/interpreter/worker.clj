(ns jepsen.generator.interpreter.worker
  "Workers perform operations: each in a thread of its own, one operation at a time."
  (:require [clojure.tools.logging :as log]
            [jepsen.client :as client]
            [jepsen.generator.interpreter.mailbox :as mailbox]
            [jepsen.nemesis :as nemesis]
            [jepsen.print :as print]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(defn- crashed
  "The completion of `op` by the Throwable `e`, which leaves open whether it took effect."
  [op ^Throwable e]
  (let [cause (.getCause e)]
    (assoc op
           :type      :info
           :exception (Throwable->map e)
           :error     (str "indeterminate: " (if cause (.getMessage cause) (.getMessage e))))))

(defprotocol Worker
  "What performs the operations of one thread."
  (perform! [worker test op]
    "Performs `op`. Returns its completion; may throw anything.")
  (shut-down! [worker test]
    "Ends the worker's use of the system."))

;;; Clients

(defn- close-client!
  "Closes the client of the state of a client worker, if it has one."
  [{:keys [client]} test]
  (when client
    (client/close! client test)))

(defn- open-client!
  "The state of a client worker with a new client for `process`: `{:process :client}`, or
  `{:failure message}` when none could be opened."
  [test node process failures]
  (try
    {:process process
     :client  (client/open! (client/validate (:client test)) test node)}
    (catch Exception e
      (when-not (contains? @failures (class e))
        (swap! failures conj (class e))
        (log/warn e "Error opening client for node" node))
      {:failure (.getMessage e)})))

(defn- client-for!
  "The state with a client that may perform operations of `process`: the present one, or one that
  replaces it."
  [state test node process failures]
  (if (or (= process (:process state))
          (and (:client state) (client/is-reusable? (:client state) test)))
    state
    (do (close-client! state test)
        (open-client! test node process failures))))

;; state     an atom of the map that `open-client!` returns
;; failures  an atom of the classes of exceptions of `open!` that were logged
(defrecord ClientWorker [node state failures]
  Worker
  (perform! [_ test op]
    (let [before @state
          now    (if (= (:process before) (:process op))
                   before
                   (client-for! before test node (:process op) failures))]
      (when-not (identical? before now)
        (reset! state now))
      (if-let [client (:client now)]
        (client/invoke! client test op)
        (assoc op :type :fail, :error [:no-client (:failure now)]))))
  (shut-down! [_ test]
    (close-client! @state test)))

;;; The nemesis

(defrecord NemesisWorker []
  Worker
  (perform! [_ test op]
    (nemesis/invoke! (:nemesis test) test op))
  (shut-down! [_ _test]))

(defn worker
  "The worker for `thread`, the number of a client or :nemesis. Clients are spread over the nodes in
  rotation."
  [test thread]
  (if (int? thread)
    (let [nodes (:nodes test)]
      (ClientWorker. (when (seq nodes) (nth nodes (mod thread (count nodes))))
                     (atom {})
                     (atom #{})))
    (NemesisWorker.)))

;;; Threads

(defn- complete
  "The completion of the operation `op` of any kind by `worker`."
  [worker test op]
  (try
    (case (:type op)
      :sleep (do (util/sleep (* 1000 (:value op)))
                 op)
      :log   (do (log/info (:value op))
                 op)
      (do (print/log-op op)
          (print/log-op (perform! worker test op))))
    (catch Throwable e
      (log/warn e "Process" (:process op) "crashed")
      (print/log-op (crashed op e)))))

(def ^:private quick-nanos
  "An operation that takes less time than this is likely to be followed by another one soon."
  50000)

(defn- run!*
  "Completes operations from `mailbox` until one is of type :exit."
  [worker test mailbox completed!]
  (loop [quick false]
    (let [op    (mailbox/take! mailbox quick)
          begin (util/linear-time-nanos)]
      (when-not (identical? :exit (:type op))
        (let [op'   (complete worker test op)
              taken (- (util/linear-time-nanos) begin)]
          (completed! op')
          (recur (< taken (long quick-nanos)))))))
  (Thread/interrupted)
  (try (shut-down! worker test)
       (catch Exception e
         (log/warn e "Error closing client"))))

(defn start!
  "Starts a thread that performs what arrives in `mailbox` as `thread` of the test, and calls
  `(completed! op)` with each completion. An operation of type :exit ends it. Returns the Thread."
  ^Thread [test thread mailbox completed!]
  (let [worker (worker test thread)
        body   (bound-fn* (fn [] (run!* worker test mailbox completed!)))]
    (doto (Thread. ^Runnable body
                   (str "jepsen worker " (if (keyword? thread) (name thread) thread)))
      (.setDaemon true)
      (.start))))
