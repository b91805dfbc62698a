(ns jepsen.core
  "Runs tests from beginning to end: nodes, database, clients and nemesis are
  set up, the generator's operations carried out, everything torn down, the
  history checked, and all of it kept in the store."
  (:refer-clojure :exclude [run!])
  (:require [clojure.java.shell :as shell]
            [clojure.string :as str]
            [clojure.tools.logging :refer [info warn]]
            [jepsen.checker :as checker]
            [jepsen.client :as client]
            [jepsen.control :as control]
            [jepsen.control.util :as cu]
            [jepsen.db :as db]
            [jepsen.generator.interpreter :as interpreter]
            [jepsen.history :as h]
            [jepsen.nemesis :as nemesis]
            [jepsen.os :as os]
            [jepsen.print :as print]
            [jepsen.store :as store]
            [jepsen.util :as util])
  (:import (java.util.concurrent CyclicBarrier TimeUnit)
           (jepsen.util Forgettable)))

(set! *warn-on-reflection* true)

;;; Nodes in step

(defn synchronize
  "Waits, in the set-up of a database, until all nodes have come here: at
  most 60 seconds, or `timeout-secs`."
  ([test]
   (synchronize test 60))
  ([test timeout-secs]
   (let [barrier (:barrier test)]
     (when-not (= ::no-barrier barrier)
       (.await ^CyclicBarrier barrier
               (long (util/secs->nanos timeout-secs)) TimeUnit/NANOSECONDS)))))

(defn primary
  "The first node of the test."
  [test]
  (first (:nodes test)))

(defn prepare-test
  "The test with a :start-time, :concurrency and :barrier, and with a
  generator that can be forgotten. Does nothing the second time."
  [test]
  (let [n (count (:nodes test))]
    (cond-> test
      (nil? (:start-time test))  (assoc :start-time (util/local-time))
      (nil? (:concurrency test)) (assoc :concurrency n)
      (nil? (:barrier test))     (assoc :barrier (if (pos? n)
                                                   (CyclicBarrier. n)
                                                   ::no-barrier))
      (not (instance? Forgettable (:generator test)))
      (update :generator util/forgettable))))

;;; Log files of nodes

(defn- download-log!
  "Copies a node's log file, if there is one, into the store."
  [test node remote local]
  (when (cu/exists? remote)
    (info "Downloading" remote "to" local)
    (try
      (control/download remote (store/path! test node local))
      (catch Exception e
        (warn "Could not download" remote "of" node ":" (ex-message e))))))

(defn snarf-logs!
  "Copies the database's log files from all nodes into the store. Kills the
  database before, if it can be killed, so that the logs are complete."
  [{:keys [db] :as test}]
  (when (satisfies? db/LogFiles db)
    (info "Snarfing log files")
    (control/on-nodes
     test
     (fn [test node]
       (when (and (satisfies? db/Kill db) (not (:leave-db-running? test)))
         (db/kill! db test node))
       (doseq [[remote local] (db/log-files-map db test node)]
         (download-log! test node remote local))))
    (store/update-symlinks! test)))

(defn- snarf-logs-safely!
  [test]
  (try
    (snarf-logs! test)
    (catch Throwable t
      (warn "Could not fetch all log files:" (ex-message t)))))

;;; Resources

(defn- attempt
  "Calls `(f)`; returns [:ok result] or [:threw throwable]."
  [f]
  (try [:ok (f)]
       (catch Throwable t [:threw t])))

(defn- finish
  "The result of an attempt, after `(clean-up!)`. Trouble in the clean-up is
  thrown only if there was none before."
  [[outcome x] clean-up!]
  (let [[cleaned y] (attempt clean-up!)]
    (cond
      (= :threw outcome) (do (when (= :threw cleaned)
                               (warn y "Cleaning up failed as well:" (ex-message y)))
                             (throw x))
      (= :threw cleaned) (throw y)
      :else x)))

(defn with-resources*
  "See `with-resources`."
  [start! stop! things f]
  (let [started  (util/real-pmap (bound-fn* (fn [x] (attempt #(start! x))))
                                 things)
        running  (mapv second (filter #(= :ok (first %)) started))
        failures (map second (filter #(= :threw (first %)) started))
        stop-all #(dorun (util/real-pmap (bound-fn* stop!) running))]
    (if-let [t (first failures)]
      (finish [:threw t] stop-all)
      (finish (attempt #(f running)) stop-all))))

(defmacro with-resources
  "Starts things in parallel, with `(start! thing)`, evaluates the body with
  the symbol bound to a vector of what that gave, and stops them with
  `(stop! resource)`. If one does not start, those that did are stopped."
  [[sym start! stop! things] & body]
  `(with-resources* ~start! ~stop! ~things (fn [~sym] ~@body)))

(defn with-logging*
  "See `with-logging`."
  [test f]
  (store/start-logging! test)
  (try
    (f)
    (catch Throwable t
      (warn t "Test crashed!" (ex-message t))
      (throw t))
    (finally
      (store/stop-logging!))))

(defmacro with-logging
  "Evaluates the body while log lines go to the test's file as well."
  [test & body]
  `(with-logging* ~test (fn [] ~@body)))

(defn with-sessions*
  "See `with-sessions`."
  [test f]
  (control/with-remote (or (:remote test) control/ssh)
    (control/with-ssh (:ssh test)
      (with-resources [sessions
                       (fn [node] [node (control/session node)])
                       (comp control/disconnect second)
                       (:nodes test)]
        (dissoc (f (assoc test :sessions (into {} sessions)))
                :sessions)))))

(defmacro with-sessions
  "Evaluates the body, which returns a test, with the symbol bound to the
  test with a session for each node."
  [[test-sym test] & body]
  `(with-sessions* ~test (fn [~test-sym] ~@body)))

(defn with-os*
  "See `with-os`."
  [{:keys [os] :as test} f]
  (finish (attempt (fn []
                     (control/on-nodes test (partial os/setup! os))
                     (f)))
          #(control/on-nodes test (partial os/teardown! os))))

(defmacro with-os
  "Evaluates the body with the test's operating system set up."
  [test & body]
  `(with-os* ~test (fn [] ~@body)))

(def ^:private abort-timeout-ms
  "How long the end of the JVM is put off for log files."
  20000)

(defn- abort-hook
  "What is done when the JVM is told to end: logs are fetched all the same."
  [test]
  (bound-fn []
    (info "SIGTERM caught; aborting...")
    (util/timeout abort-timeout-ms nil
                  (snarf-logs-safely! test))
    (info "Test aborted.")))

(defn- teardown-db!
  [test]
  (if (:leave-db-running? test)
    (info "Leaving the database running")
    (control/on-nodes test (partial db/teardown! (:db test)))))

(defn with-db*
  "See `with-db`."
  [test f]
  (finish (attempt
           (fn []
             (util/with-shutdown-hook (abort-hook test)
               (try
                 (db/cycle! test)
                 (f)
                 (finally
                   (snarf-logs-safely! test))))))
          #(teardown-db! test)))

(defmacro with-db
  "Evaluates the body with the test's database set up; then fetches log files
  and tears it down."
  [test & body]
  `(with-db* ~test (fn [] ~@body)))

;;; The run

(defn- on-each
  "Calls `(f x)` for each of a collection, in parallel."
  [f coll]
  (util/real-pmap (bound-fn* f) coll))

(defn- open-client!
  [test node]
  (client/open! (client/validate (:client test)) test node))

(defn- setup-clients!
  "Lets a client of each node clear what earlier tests left, then, when all
  of them have done so, set up."
  [test]
  (with-resources [clients
                   (partial open-client! test)
                   #(client/close! % test)
                   (:nodes test)]
    (on-each #(client/teardown! % test) clients)
    (on-each #(client/setup! % test) clients)))

(defn- teardown-clients!
  [test]
  (try
    (with-resources [clients
                     (partial open-client! test)
                     #(client/close! % test)
                     (:nodes test)]
      (on-each #(client/teardown! % test) clients))
    (catch Throwable t
      (warn t "Error tearing down clients:" (ex-message t)))))

(defn- teardown-nemesis!
  [test nemesis]
  (try
    (nemesis/teardown! nemesis test)
    (catch Throwable t
      (warn t "Error tearing down the nemesis:" (ex-message t)))))

(defn- teardown-case!
  [test nemesis]
  (let [done (future (teardown-nemesis! test nemesis))]
    (when-not (:leave-db-running? test)
      (teardown-clients! test))
    @done))

(defn- with-client+nemesis
  "Sets clients and nemesis up, calls `(f test)` with the nemesis in place,
  and tears them down."
  [test f]
  (let [nemesis-setup (future (attempt #(nemesis/setup!
                                         (nemesis/validate (:nemesis test))
                                         test)))
        clients       (attempt #(setup-clients! test))
        nemesis       @nemesis-setup]
    (try
      (when (= :threw (first clients))
        (throw (second clients)))
      (when (= :threw (first nemesis))
        (throw (second nemesis)))
      (f (assoc test :nemesis (second nemesis)))
      (finally
        (if (= :ok (first nemesis))
          (teardown-case! test (second nemesis))
          (teardown-clients! test))))))

(defn run-case!
  "Sets clients and nemesis up, runs the generator, tears them down. Returns
  the test with its :history."
  [test]
  (store/with-history! [test test]
    (info "Relative time begins now")
    (util/with-relative-time
      (let [nemesis (:nemesis test)]
        (assoc (with-client+nemesis test interpreter/run!)
               :nemesis nemesis)))))

;;; Results

(defn analyze!
  "Checks the test's history and saves the results. Returns the test with
  `:results`."
  [test]
  (info "Analyzing...")
  (let [history (or (:history test) (h/history []))
        results (checker/check-safe (:checker test) test history {})
        test    (assoc test :results results)]
    (info "Analysis complete")
    (store/save-2! test)))

(def ^:private logged-chars-max
  "Results may be larger than anybody reads on a screen."
  20000)

(defn- shortened
  [^String s]
  (if (< logged-chars-max (count s))
    (str (subs s 0 logged-chars-max) "\n... the rest is in results.edn")
    s))

(defn log-results
  "Logs the results and, on a line of its own, the verdict. Returns the
  test."
  [test]
  (let [{:keys [valid? error] :as results} (:results test)]
    (info (str (shortened (print/pprint-str results))
               (when error
                 (str "\n\nError:\n" (shortened (print/pprint-str error))))
               "\n\n"
               (case valid?
                 true     "Everything looks good! ヽ(‘ー`)ノ"
                 false    "Analysis invalid! (ﾉಥ益ಥ）ﾉ ┻━┻"
                 :unknown (str "Errors occurred during analysis, but no "
                               "anomalies found. ಠ~ಠ"))))
    test))

(defn- git
  [& args]
  (let [{:keys [exit out]} (apply shell/sh "git" args)]
    (when (zero? exit)
      (str/trim out))))

(defn- log-version!
  "Logs which version of the test this is, if it is under version control."
  []
  (when-let [head (util/meh (git "rev-parse" "HEAD"))]
    (when (string? head)
      (info (str "Test version " head
                 (when (seq (git "status" "--porcelain"
                                 "--untracked-files=no"))
                   " (plus uncommitted changes)"))))))

(defn- log-start!
  [test]
  (log-version!)
  (when-let [argv (seq (:argv test))]
    (info (str "Command line:\nlein run " (str/join " " argv))))
  (info (str "Running test:\n" (print/test->str test))))

(defn- run-and-save!
  "Runs the test on its nodes and saves the history."
  [test]
  (with-os test
    (with-db test
      (let [test (dissoc (run-case! test) :generator :barrier)]
        (info "Run complete, writing")
        (store/save-1! test)))))

(defn run!
  "Runs a test. Returns it with its `:history` and `:results`. Keys of a
  test:

    :name         under which it is stored
    :nodes        names of the nodes
    :concurrency  number of workers, by default one per node
    :ssh          how to log in: see `jepsen.control/with-ssh`
    :remote       how commands run on nodes
    :os :db :net :client :nemesis :generator :checker
    :logging      {:overrides {logger level}}
    :logging-json?       log as JSON
    :leave-db-running?   leave the database as it is at the end
    :nonserializable-keys  keys that cannot be stored"
  [test]
  (let [test (prepare-test test)]
    (with-logging test
      (store/with-handle [test test]
        (log-start! test)
        (store/save-0! test)
        (-> (with-sessions [test test]
              (analyze! (run-and-save! test)))
            log-results)))))
