(ns interregnum.target.nodes
  "The reference nodes as a database: on each host one etcd member and one node
  process.

  Killing and pausing strike the node process alone; its etcd member stays. So an
  owner loses its office while the store goes on, which is what tests are about."
  (:require [clojure.string :as str]
            [interregnum.host :as host]
            [interregnum.target.install :as install]
            [interregnum.target.status :as status]
            [jepsen.control :as c]
            [jepsen.control.util :as cu]
            [jepsen.db :as db]
            [jepsen.util :as util]))

(def ^:private data-folder "/var/lib/interregnum")
(def ^:private log-folder "/var/log/interregnum")

(def ^:private etcd
  "The etcd member of a host, as a daemon."
  {:name    "etcd"
   :chdir   data-folder
   :pidfile "/run/interregnum-etcd.pid"
   :logfile (str log-folder "/etcd.log")})

(def ^:private node-process
  "The node process of a host, as a daemon."
  {:name    "the node process"
   :chdir   install/folder
   :pidfile "/run/interregnum-node.pid"
   :logfile (str log-folder "/node.log")})

(def ^:private client-port 2379)
(def ^:private peer-port 2380)

(def store-ports
  "The ports through which nodes reach the store, and its members each other."
  [client-port peer-port])

(def ^:private ready-timeout-ms
  "How long a fresh cluster may take to elect an owner."
  30000)

(def ^:private poll-interval-ms 50)

;;; Command lines

(defn- etcd-url
  [test node port]
  (str "http://" (host/address test node) ":" port))

(defn- etcd-arguments
  "How the etcd member on `node` is started."
  [test node]
  [:--name node
   :--data-dir (str data-folder "/etcd")
   :--listen-peer-urls (str "http://0.0.0.0:" peer-port)
   :--listen-client-urls (str "http://0.0.0.0:" client-port)
   :--initial-advertise-peer-urls (etcd-url test node peer-port)
   :--advertise-client-urls (etcd-url test node client-port)
   :--initial-cluster (str/join "," (for [n (:nodes test)]
                                      (str n "=" (etcd-url test n peer-port))))
   :--initial-cluster-state "new"
   :--heartbeat-interval 100
   :--election-timeout 1000
   :--pre-vote
   :--max-txn-ops 10000
   :--logger "zap"
   :--log-outputs "stderr"])

(def ^:private java-arguments
  "Three of these processes share the cores with the test: a small heap, and a
  compiler that is quick rather than thorough."
  ["-XX:+UseSerialGC" "-XX:TieredStopAtLevel=1" "-Xmx512m" "-XX:+ExitOnOutOfMemoryError"
   "-Xlog:disable" (str "-XX:SharedArchiveFile=" install/archive)
   "-cp" install/jar "interregnum.server.Main"])

(defn- etcd-endpoints
  "All members, a node's own first."
  [test node]
  (str/join "," (for [n (cons node (remove #{node} (:nodes test)))]
                  (etcd-url test n client-port))))

(defn- node-arguments
  "How the node process on `node` is started, with the options of `db`."
  [{:keys [options]} test node]
  (let [{:keys [defect id-step lease-secs]} options]
    (concat java-arguments
            [:--id node
             :--advertise (host/address test node)
             :--listen "0.0.0.0"
             :--etcd (etcd-endpoints test node)]
            (when id-step [:--id-step id-step])
            (when lease-secs [:--session-ttl-seconds lease-secs])
            (when (seq defect) [:--defect (str/join "," defect)]))))

;;; Daemons of the bound host

(defn- start-daemon!
  [daemon program arguments]
  (apply cu/start-daemon! (select-keys daemon [:pidfile :logfile :chdir]) program arguments))

(defn- start-all!
  "Starts what does not run of the two daemons."
  [db test node]
  (c/exec :mkdir :-p data-folder log-folder)
  (start-daemon! etcd "/usr/bin/etcd" (etcd-arguments test node))
  (start-daemon! node-process "/usr/bin/java" (node-arguments db test node)))

(defn- signal!
  "Sends a signal to a daemon; nothing happens if it does not run."
  [{:keys [pidfile]} signal]
  (c/exec* "test ! -e" pidfile "|| kill -s" signal "$(cat" (str pidfile ")")
           "2>/dev/null || true"))

(defn- last-words
  "What a daemon logged last: a line, or the error in it, since etcd's have many
  fields."
  [{:keys [logfile]}]
  (let [line (c/exec :tail :-n 1 logfile)]
    (or (second (re-find #"\"error\":\"([^\"]*)\"" line))
        line)))

;;; Readiness

(defn- require-running!
  "Throws an exception with one sentence if a daemon of the bound host has ended."
  [node daemon]
  (when-not (cu/daemon-running? (:pidfile daemon))
    (throw (ex-info (str (:name daemon) " on " node " ended: " (last-words daemon))
                    {:type ::ended, :node node}))))

(defn- await-owner!
  "Waits until the node answers and sees an owner."
  [test node]
  (let [address  (host/address test node)
        started  (util/linear-time-nanos)
        waited   #(quot (- (util/linear-time-nanos) started) 1000000)]
    (loop [looks 1]
      (when-not (status/autoid-leader address)
        (when (zero? (mod looks 20))
          (run! #(require-running! node %) [etcd node-process]))
        (when (< ready-timeout-ms (waited))
          (throw (ex-info (str "the node process on " node " saw no owner within "
                               (quot ready-timeout-ms 1000) " s: " (last-words node-process))
                          {:type ::not-ready, :node node})))
        (util/sleep poll-interval-ms)
        (recur (inc looks))))))

(defn- remove-all!
  "Ends both daemons and removes what they wrote."
  []
  (run! #(cu/stop-daemon! (:pidfile %)) [node-process etcd])
  (c/exec :rm :-rf data-folder log-folder))

(defn- with-plain-trouble
  "Calls `(f)`; a command on `node` that fails is an exception with one sentence."
  [node f]
  (try
    (f)
    (catch clojure.lang.ExceptionInfo e
      (let [{:keys [type err] :as data} (ex-data e)]
        (if (= :jepsen.control/nonzero-exit type)
          (throw (ex-info (str "host " node ": " (first (str/split-lines (str err))))
                          (assoc data :type ::command)))
          (throw e))))))

(defrecord Nodes [options program]
  db/DB
  (setup! [this test node]
    (with-plain-trouble node
      #(do (remove-all!)
           (install/install! @program node)
           (start-all! this test node)
           (await-owner! test node))))
  (teardown! [_ _ _]
    (remove-all!))

  db/Kill
  (kill! [_ _ _]
    (cu/stop-daemon! (:pidfile node-process))
    :killed)
  (start! [this test node]
    (start-all! this test node)
    :started)

  db/Pause
  (pause! [_ _ _]
    (signal! node-process "STOP")
    :paused)
  (resume! [_ _ _]
    (signal! node-process "CONT")
    :resumed)

  db/Primary
  (primaries [_ test]
    (->> (:nodes test)
         (util/real-pmap #(status/owner (host/address test %) (:role test :autoid)))
         (remove nil?)
         (sort-by :term)
         (map :id)
         (take-last 1)))
  (setup-primary! [_ _ _])

  db/LogFiles
  (log-files [_ _ _]
    (into {} (map (juxt :logfile #(last (str/split (:logfile %) #"/"))))
          [etcd node-process])))

(def ^:private election-prefixes
  "Role → prefix of its candidates' keys in etcd."
  {:autoid "/interregnum/autoid/leader/"
   :ddl "/interregnum/ddl/owner/"})

(def ^:private etcdctl
  "The store's own client, which gives up before a caller does."
  [:env "ETCDCTL_API=3" :etcdctl :--command-timeout "2s" :--dial-timeout "1s"])

(defn- delete-first-key!
  "Deletes the first candidate's key under `prefix`, asking the store from the bound
  host `node`; the key, or nil if there was none."
  [test node prefix]
  (let [client    [etcdctl :--endpoints (etcd-endpoints test node)]
        owner-key (c/exec client :get :--prefix prefix :--sort-by "CREATE"
                          :--order "ASCEND" :--limit 1 :--keys-only)]
    (when-not (str/blank? owner-key)
      (c/exec client :del owner-key)
      owner-key)))

(defn delete-election-key!
  "Deletes the key of the owner of `role` from etcd, behind the owner's back; the key,
  or nil if nobody owns the role or the store cannot be reached from any node. Needs
  the node sessions of a running test."
  [test role]
  (let [prefix (election-prefixes role)
        try-on (fn [test node]
                 (try
                   (delete-first-key! test node prefix)
                   (catch clojure.lang.ExceptionInfo e
                     (when-not (= :jepsen.control/nonzero-exit (:type (ex-data e)))
                       (throw e)))))]
    (some #(get (c/on-nodes test [%] try-on) %) (:nodes test))))

(def ^:private stop-timeout-ms
  "How long a node may take to stop when it is asked to."
  8000)

(defn stop!
  "Asks the node process of the bound host to stop, with SIGTERM; kills it if it
  does not."
  []
  (signal! node-process "TERM")
  (let [started (util/linear-time-nanos)]
    (while (and (cu/daemon-running? (:pidfile node-process))
                (< (- (util/linear-time-nanos) started) (* 1000000 stop-timeout-ms)))
      (util/sleep poll-interval-ms)))
  (cu/stop-daemon! (:pidfile node-process))
  :stopped)

(defn db
  "The database for a test with these options, all of them optional:

    :defect      names of the planted defects
    :id-step     how many ids an owner reserves at a time
    :lease-secs  how long an owner's lease holds, in seconds"
  [options]
  (->Nodes (select-keys options [:defect :id-step :lease-secs])
           (delay (install/program))))
