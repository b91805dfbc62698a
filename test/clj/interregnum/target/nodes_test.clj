(ns interregnum.target.nodes-test
  "Runs the reference nodes on local hosts; skipped without root or without the
  program that bin/interregnum builds."
  (:require [clojure.java.io :as io]
            [clojure.java.shell :as shell]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [interregnum.host :as host]
            [interregnum.target.nodes :as nodes]
            [interregnum.target.status :as status]
            [jepsen.control :as c]
            [jepsen.db :as db]
            [jepsen.util :as util]))

(def ^:private timeout-ms 30000)

(defn- await-true
  "The first true value of `(f)`, or what it was when time was up."
  [f]
  (let [deadline (+ (util/linear-time-nanos) (* timeout-ms 1000000))]
    (loop []
      (let [value (f)]
        (if (or value (< deadline (util/linear-time-nanos)))
          value
          (do (util/sleep 100)
              (recur)))))))

(defn- with-sessions
  "Calls `(f test)` with a session to each node of the test."
  [test f]
  (c/with-ssh (:ssh test)
    (c/with-remote (:remote test)
      (let [sessions (into {} (for [node (:nodes test)] [node (c/session node)]))]
        (try
          (f (assoc test :sessions sessions))
          (finally
            (run! c/disconnect (vals sessions))))))))

(defn- with-local
  "Calls `(f test)` with local hosts for `nodes` and a session to each."
  [nodes f]
  (host/with-hosts {:hosts "local", :nodes nodes}
    #(with-sessions % f)))

(defn- with-cluster
  "Calls `(f test db)` with three local hosts, on which `db` is set up."
  [options f]
  (with-local ["n1" "n2" "n3"]
    (fn [test]
      (let [db (nodes/db options)]
        (try
          (c/on-nodes test #(db/setup! db %1 %2))
          (f test db)
          (finally
            (c/on-nodes test #(db/teardown! db %1 %2))))))))

(defn- skip-reason
  []
  (cond
    (not= "0\n" (:out (shell/sh "id" "-u")))
    "local hosts need root"
    (not (.exists (io/file (host/home) "target" "nodes.jar")))
    "target/nodes.jar is not built"))

(defn- info
  [test node]
  (status/info (host/address test node)))

(defn- leader
  [test node]
  (:id (status/autoid-leader (host/address test node))))

(defn- on
  "Applies `(f db test node)` on one node."
  [f db test node]
  (c/on-nodes test [node] #(f db %1 %2)))

(defn- check-faults
  "Kills and pauses the owner: another one takes over, and it comes back."
  [test db]
  (testing "the primary is who all nodes take for the leader"
    (let [[owner :as primaries] (db/primaries db test)]
      (is (= 1 (count primaries)))
      (is (every? #{owner} (map #(leader test %) (:nodes test))))))
  (testing "a killed owner is succeeded, answers nothing, and starts again"
    (let [[owner] (db/primaries db test)]
      (on db/kill! db test owner)
      (is (nil? (info test owner)))
      (is (await-true #(not (contains? #{nil owner} (first (db/primaries db test))))))
      (on db/start! db test owner)
      (is (= owner (:id (await-true #(info test owner)))))))
  (testing "a paused owner is succeeded and answers after it is resumed"
    (let [[owner] (db/primaries db test)]
      (on db/pause! db test owner)
      (is (nil? (info test owner)))
      (is (await-true #(not (contains? #{nil owner} (first (db/primaries db test))))))
      (on db/resume! db test owner)
      (is (= owner (:id (await-true #(info test owner)))))))
  (testing "what is up already is not started twice"
    (on db/start! db test "n1")
    (is (= {"n1" "1"} (c/on-nodes test ["n1"] (fn [_ _] (c/exec :pgrep :-c :java)))))))

(defn- check-departures
  "Takes the owner's office, and asks a node to stop."
  [test db]
  (testing "an owner without its key is succeeded and goes on answering"
    (let [[owner] (db/primaries db test)]
      (is (str/starts-with? (nodes/delete-election-key! test :autoid)
                            "/interregnum/autoid/leader/"))
      (is (await-true #(not (contains? #{nil owner} (first (db/primaries db test))))))
      (is (= owner (:id (info test owner))))))
  (testing "a node that is asked to stop ends by itself, without a trace"
    (is (= {"n2" :stopped} (c/on-nodes test ["n2"] (fn [_ _] (nodes/stop!)))))
    (is (nil? (info test "n2")))
    (is (= {"n2" ""}
           (c/on-nodes test ["n2"]
                       (fn [_ _] (c/exec* "ls /run/interregnum-node.pid 2>/dev/null; true")))))
    (on db/start! db test "n2")
    (is (= "n2" (:id (await-true #(info test "n2")))))))

(defn- check-traces
  "After tear-down neither process, file nor log is left on a node."
  [test]
  (is (= #{""}
         (set (vals (c/on-nodes
                     test
                     (fn [_ _]
                       (c/exec* (str "pgrep -l 'java|etcd'; ls -d /var/lib/interregnum"
                                     " /var/log/interregnum /run/interregnum-* 2>/dev/null;"
                                     " true")))))))))

(deftest cluster-test
  (if-let [reason (skip-reason)]
    (println "SKIPPED:" reason)
    (with-cluster {:defect ["tidb-52600"], :id-step 100, :lease-secs 2}
      (fn [test db]
        (testing "the options reach the nodes"
          (is (= [["tidb-52600"] ["tidb-52600"] ["tidb-52600"]]
                 (map #(:defects (info test %)) (:nodes test)))))
        (check-faults test db)
        (check-departures test db)
        (testing "log files are where they are said to be"
          (is (= [{"n1" ""}]
                 [(c/on-nodes test ["n1"]
                              (fn [test node]
                                (c/exec* "ls" (str/join " " (keys (db/log-files db test node)))
                                         "> /dev/null")))])))
        (c/on-nodes test #(db/teardown! db %1 %2))
        (testing "nothing is left on the nodes"
          (check-traces test))))))

(defn- setup-message
  "What the exception says that setting up node n1 ends with."
  [test]
  (let [db (nodes/db {})]
    (try
      (c/on-nodes test #(db/setup! db %1 %2))
      "no exception"
      (catch Exception e
        (ex-message (last (take-while some? (iterate ex-cause e)))))
      (finally
        (c/on-nodes test #(db/teardown! db %1 %2))))))

(defn- sh-on-n1
  [test command]
  (c/on-nodes test ["n1"] (fn [_ _] (c/exec* command))))

(deftest trouble-test
  (if-let [reason (skip-reason)]
    (println "SKIPPED:" reason)
    (with-local ["n1"]
      (fn [test]
        (testing "a port of etcd's that is taken"
          (sh-on-n1 test "/usr/sbin/sshd -o PidFile=/run/other.pid -p 2379")
          (is (= "etcd on n1 ended: listen tcp 0.0.0.0:2379: bind: address already in use"
                 (setup-message test)))
          (sh-on-n1 test "kill $(cat /run/other.pid)"))
        (testing "a port of the node's that is taken"
          (sh-on-n1 test "/usr/sbin/sshd -o PidFile=/run/other.pid -p 4000")
          (is (= (str "the node process on n1 ended: interregnum-node: cannot listen on"
                      " 0.0.0.0:4000 (--sql-port): Address already in use")
                 (setup-message test)))
          (sh-on-n1 test "kill $(cat /run/other.pid)"))
        (testing "a disk that cannot be written to"
          (sh-on-n1 test "mount -t tmpfs -o ro tmpfs /var/lib")
          (is (= (str "host n1: mkdir: cannot create directory '/var/lib/interregnum':"
                      " Read-only file system")
                 (setup-message test))))))))
