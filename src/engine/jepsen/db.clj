(ns jepsen.db
  "Databases: how the system under test is set up, torn down, killed, paused
  and asked for its logs.

  Only `DB` is compulsory. What else a database can do it says by satisfying
  `Kill`, `Pause`, `Primary` and `LogFiles`."
  (:require [clojure.string :as str]
            [clojure.tools.logging :refer [info warn]]
            [jepsen.control :as control]
            [jepsen.util :as util])
  (:import (java.util.concurrent CyclicBarrier)))

(set! *warn-on-reflection* true)

(defprotocol DB
  "A system that can be installed on nodes."
  (setup! [db test node]
    "Installs and starts the database on this node.")
  (teardown! [db test node]
    "Stops the database on this node and removes its data."))

(defprotocol Kill
  "A database whose processes can be killed and started again."
  (kill! [db test node]
    "Kills the database's processes on this node at once.")
  (start! [db test node]
    "Starts the database on this node."))

;; The class java.lang.Process stands in the way of the name. A `def` would make
;; the var before the class is out of the way, when this file is loaded compiled.
(ns-unmap *ns* 'Process)
(intern *ns* (with-meta 'Process {:doc "The older name of `Kill`."}) Kill)

(defprotocol Pause
  "A database whose processes can be suspended."
  (pause! [db test node]
    "Suspends the database's processes on this node.")
  (resume! [db test node]
    "Lets them run again."))

(defprotocol Primary
  "A database whose nodes differ in their role."
  (primaries [db test]
    "The nodes that are primaries at this moment, as far as one can tell.")
  (setup-primary! [db test node]
    "Set-up that is done on one node only, after `setup!` on all."))

(defprotocol LogFiles
  "A database that has log files to keep."
  (log-files [db test node]
    "Paths of the log files on this node: a sequence, or a map of remote path
    to the name to store it under."))

(def noop
  "A database that does nothing."
  (reify DB
    (setup! [_ _test _node])
    (teardown! [_ _test _node])))

(def cycle-tries
  "How often `cycle!` tries to set a database up."
  3)

(defrecord MapTest [f db]
  DB
  (setup! [_ test node] (setup! db (f test) node))
  (teardown! [_ test node] (teardown! db (f test) node))

  Kill
  (kill! [_ test node] (kill! db (f test) node))
  (start! [_ test node] (start! db (f test) node))

  Pause
  (pause! [_ test node] (pause! db (f test) node))
  (resume! [_ test node] (resume! db (f test) node))

  Primary
  (primaries [_ test] (primaries db (f test)))
  (setup-primary! [_ test node] (setup-primary! db (f test) node))

  LogFiles
  (log-files [_ test node] (log-files db (f test) node)))

(defn map-test
  "A database that calls `db` with `(f test)` instead of the test."
  [f db]
  (MapTest. f db))

(defn- path-parts
  [path]
  (str/split path #"/"))

(defn- short-names
  "Map of path to the path without the folders that all of them share."
  [paths]
  (zipmap paths
          (map #(str/join "/" %)
               (util/drop-common-proper-prefix (map path-parts paths)))))

(defn log-files-map
  "Map of remote path to local name of the log files on a node. Paths that
  came without a name lose the folders that they have in common. Throws
  `{:type :jepsen.db/log-files-local-name-collision}` if two files would go
  by the same name."
  [db test node]
  (let [files (log-files db test node)
        names (if (map? files) files (short-names (distinct files)))]
    (when-not (apply distinct? nil (vals names))
      (throw (ex-info (str "Several log files of " node
                           " have the same local name")
                      {:type  ::log-files-local-name-collision
                       :node  node
                       :files names})))
    names))

(defn- setup-or-release!
  "Sets the database up on a node. If that fails, the nodes that wait for it
  in `jepsen.core/synchronize` are let go."
  [db test node]
  (try
    (setup! db test node)
    (catch Throwable t
      (when (instance? CyclicBarrier (:barrier test))
        (.reset ^CyclicBarrier (:barrier test)))
      (throw t))))

(defn- cycle-once!
  [{:keys [db nodes] :as test}]
  (info "Tearing down DB")
  (control/on-nodes test (partial teardown! db))
  (info "Setting up DB")
  (control/on-nodes test (partial setup-or-release! db))
  (when (and (satisfies? Primary db) (seq nodes))
    (info "Setting up primary" (first nodes))
    (control/on-nodes test [(first nodes)] (partial setup-primary! db))))

(defn cycle!
  "Tears the test's database down on every node and sets it up again. A
  set-up that throws `{:type :jepsen.db/setup-failed}` is tried three times."
  [test]
  (loop [tries-left cycle-tries]
    (let [failure (try
                    (cycle-once! test)
                    nil
                    (catch clojure.lang.ExceptionInfo e
                      (when-not (and (= ::setup-failed (:type (ex-data e)))
                                     (< 1 tries-left))
                        (throw e))
                      e))]
      (when failure
        (warn "Setting up the database failed; trying again:"
              (ex-message failure))
        (recur (dec tries-left))))))
