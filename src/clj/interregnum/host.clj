(ns interregnum.host
  "Where the nodes of a test run, and how they are reached.

  The nodes of a test go by name. Two entries of the test map say how to reach
  them, so that no name service is needed:

    :addresses  node → IP address or host name; a node that is not in it goes by
                its own name
    :ssh        Jepsen's options for logging in

  Kinds of hosts, the option `:hosts`: \"local\" ones are made for the run on this
  machine (`interregnum.host.local`); \"ssh\" ones exist and are used as they are."
  (:require [clojure.java.io :as io]
            [interregnum.host.local :as local]
            [jepsen.control :as control]
            [jepsen.control.core :as remote])
  (:import (java.io IOException)
           (java.net InetSocketAddress Socket)))

(defn address
  "The address of `node` in `test`."
  [test node]
  (get (:addresses test) node node))

(defn home
  "The folder of this checkout, whose build is what gets installed on nodes."
  []
  (io/file (or (System/getenv "INTERREGNUM_HOME") ".")))

(defrecord AddressedRemote [remote addresses]
  remote/Remote
  (connect [_ conn-spec]
    (remote/connect remote (update conn-spec :host #(get addresses % %))))
  (disconnect! [_] (remote/disconnect! remote))
  (execute! [_ context action] (remote/execute! remote context action))
  (upload! [_ context local-paths remote-path opts]
    (remote/upload! remote context local-paths remote-path opts))
  (download! [_ context remote-paths local-path opts]
    (remote/download! remote context remote-paths local-path opts)))

(defn remote
  "Jepsen's default remote, which looks up a node's address in `addresses`."
  [addresses]
  (->AddressedRemote control/ssh addresses))

(def ^:private reach-timeout-ms
  "How long a host may take to accept a TCP connection."
  5000)

(defn- unreachable
  "A sentence if `node` accepts no connection on its SSH port, or nil."
  [test node]
  (let [port (:port (:ssh test) 22)
        host (address test node)]
    (try
      (with-open [socket (Socket.)]
        (.connect socket (InetSocketAddress. ^String host (int port)) reach-timeout-ms)
        nil)
      (catch IOException e
        (str "cannot reach host " node
             " (" host ":" port ") over SSH: " (or (ex-message e) (class e)))))))

(defn- require-reachable!
  "Throws an exception with one sentence if a node of `test` cannot be reached."
  [test]
  (when-let [problem (->> (:nodes test)
                          (mapv #(future (unreachable test %)))
                          (keep deref)
                          first)]
    (throw (ex-info problem {:type ::unreachable}))))

(defn- with-local-hosts
  [options f]
  (let [hosts (local/up! options)]
    (try
      (f (-> options
             (assoc :addresses (:addresses hosts)
                    :remote (remote (:addresses hosts)))
             (update :ssh merge (:ssh hosts))))
      (finally
        (if (:leave-db-running? options)
          (local/leave! hosts)
          (local/down! hosts))))))

(defn with-hosts
  "Calls `(f options')` while the hosts of `options` are up; `options'` also say how
  to reach them. Local hosts are removed afterwards, or, with
  `:leave-db-running?`, stay until `bin/interregnum hosts down`.

    :hosts  \"local\" or \"ssh\"
    :nodes  the names of the nodes"
  [options f]
  (case (:hosts options)
    "local" (with-local-hosts options f)
    "ssh"   (do (require-reachable! options)
                (f options))))
