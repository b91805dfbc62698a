(ns jepsen.core-test
  "Whole runs: over SSH to a real server, and with parts that fail."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [jepsen.checker :as checker]
            [jepsen.client :as client]
            [jepsen.control :as c]
            [jepsen.control.util :as cu]
            [jepsen.core :as core]
            [jepsen.db :as db]
            [jepsen.generator :as gen]
            [jepsen.nemesis :as nemesis]
            [jepsen.net :as net]
            [jepsen.os :as os]
            [jepsen.sshd :as sshd]
            [jepsen.store :as store]
            [jepsen.temporary :as temporary]
            [jepsen.tests :as tests]))

(set! *warn-on-reflection* true)

(defmacro ^:private in-temporary-store
  [& body]
  `(temporary/with-dir [dir#]
     (with-redefs [store/base-dir (str dir#)]
       ~@body)))

(defn- local-test
  "A test without SSH, with these keys."
  [m]
  (merge tests/noop-test
         {:name "core", :ssh {:dummy? true}, :nodes ["n1" "n2"]
          :concurrency 2}
         m))

(defn- thrown
  [f]
  (try (f) nil
       (catch Throwable t t)))

(defn- file-db
  "A database that is a file and a daemon on the node; its log has spaces in
  its name."
  [dir]
  (let [pidfile (str dir "/pid")
        logfile (str dir "/log of daemon")]
    (reify
      db/DB
      (setup! [_ _ node]
        (c/exec :mkdir :-p dir)
        (cu/write-file! (str node "\n") (str dir "/node"))
        (cu/start-daemon! {:pidfile pidfile, :logfile logfile, :chdir dir}
                          "/usr/bin/sleep" 600))
      (teardown! [_ _ _]
        (cu/stop-daemon! pidfile)
        (c/exec :rm :-rf dir))

      db/Kill
      (kill! [_ _ _] (cu/stop-daemon! pidfile))
      (start! [_ _ _])

      db/LogFiles
      (log-files [_ _ _] [logfile (str dir "/node") (str dir "/absent")]))))

(defrecord CatClient [dir node session]
  client/Client
  (open! [this test node]
    (assoc this :node node, :session (get (:sessions test) node)))
  (setup! [_ _])
  (invoke! [_ _ op]
    (c/with-session node session
      (assoc op :type :ok, :value (c/exec :cat (str dir "/node")))))
  (teardown! [_ _])
  (close! [_ _]))

(deftest remote-run-test
  (if-not (sshd/available?)
    (println "No sshd here: the run over SSH is skipped.")
    (let [server (sshd/start!)]
      (try
        (temporary/with-dir [remote]
          (in-temporary-store
           (let [dir  (str remote "/db")
                 test (core/run!
                       (merge tests/noop-test
                              {:name        "remote"
                               :nodes       ["127.0.0.1"]
                               :ssh         (:ssh server)
                               :net         net/noop
                               :db          (file-db dir)
                               :client      (map->CatClient {:dir dir})
                               :concurrency 2
                               :generator   (gen/clients
                                             (gen/limit 6 (gen/repeat
                                                           {:f :read})))
                               :checker     (checker/stats)}))
                 node (store/path test "127.0.0.1")]
             (is (true? (:valid? (:results test))))
             (is (= 6 (:ok-count (:results test))))
             (is (= #{"127.0.0.1"}
                    (set (keep :value (:history test)))))
             (testing "log files that exist are in the store"
               (is (= #{"log of daemon" "node"}
                      (set (map #(.getName ^java.io.File %)
                                (.listFiles node)))))
               (is (= "127.0.0.1\n" (slurp (io/file node "node")))))
             (testing "the database is gone"
               (is (not (.exists (io/file dir)))))
             (testing "its log has the phases in order"
               (let [log (slurp (store/path test "jepsen.log"))]
                 (is (apply < (map #(str/index-of log %)
                                   ["Running test" "Tearing down DB"
                                    "Setting up DB" "Relative time begins now"
                                    "Run complete, writing"
                                    "Snarfing log files" "Analyzing..."
                                    "Analysis complete"
                                    "Everything looks good!"]))))))))
        (finally
          (sshd/stop! server))))))

(deftest unreachable-node-test
  (testing "sessions that were opened are closed, and nothing is set up"
    (let [events (atom [])
          remote (reify jepsen.control.core/Remote
                   (connect [this {:keys [host]}]
                     (swap! events conj [:connect host])
                     (when (= "n2" host)
                       (throw (ex-info "no route" {:type ::no-route})))
                     this)
                   (disconnect! [_] (swap! events conj :disconnect))
                   (execute! [_ _ action] action)
                   (upload! [_ _ _ _ _])
                   (download! [_ _ _ _ _]))]
      (in-temporary-store
       (is (= ::no-route
              (:type (ex-data
                      (thrown #(core/run! (local-test
                                           {:ssh    {}
                                            :remote remote
                                            :os     (reify os/OS
                                                      (setup! [_ _ _]
                                                        (swap! events conj
                                                               :os))
                                                      (teardown! [_ _ _]))})))))))
       (is (= #{[:connect "n1"] [:connect "n2"] :disconnect} (set @events)))))))

(deftest setup-failure-releases-others-test
  (testing "nodes that wait for a failed one do not wait for a minute"
    (let [db    (reify db/DB
                  (setup! [_ test node]
                    (if (= "n1" node)
                      (do (Thread/sleep 100)
                          (throw (ex-info "no" {:type ::no})))
                      (core/synchronize test)))
                  (teardown! [_ _ _]))
          begin (System/nanoTime)]
      (in-temporary-store
       (is (= ::no (:type (ex-data
                           (thrown #(core/run! (local-test {:db db}))))))
           "the cause is thrown, not the broken barrier"))
      (is (< (/ (- (System/nanoTime) begin) 1e9) 30)))))

(deftest client-setup-failure-test
  (testing "the nemesis and the database are torn down"
    (let [events  (atom [])
          note    (fn [x] (swap! events conj x))
          nemesis (reify nemesis/Nemesis
                    (setup! [this _] (note :nemesis-setup) this)
                    (invoke! [_ _ op] op)
                    (teardown! [_ _] (note :nemesis-teardown)))
          client  (reify client/Client
                    (open! [this _ _] this)
                    (setup! [_ _] (throw (ex-info "no" {:type ::no})))
                    (invoke! [_ _ op] op)
                    (teardown! [_ _])
                    (close! [_ _] (note :close)))
          db      (reify db/DB
                    (setup! [_ _ _] (note :db-setup))
                    (teardown! [_ _ _] (note :db-teardown)))]
      (in-temporary-store
       (is (= ::no
              (:type (ex-data
                      (thrown #(core/run! (local-test {:nodes   ["n1"]
                                                       :client  client
                                                       :db      db
                                                       :nemesis nemesis}))))))))
      (is (= [:nemesis-setup :nemesis-teardown]
             (filter #{:nemesis-setup :nemesis-teardown} @events)))
      (is (= [:db-teardown :db-setup :close :close :db-teardown]
             (remove #{:nemesis-setup :nemesis-teardown} @events))))))

(deftest leave-db-running-test
  (let [events (atom [])
        db     (reify
                 db/DB
                 (setup! [_ _ _] (swap! events conj :setup))
                 (teardown! [_ _ _] (swap! events conj :teardown))
                 db/Kill
                 (kill! [_ _ _] (swap! events conj :kill))
                 (start! [_ _ _])
                 db/LogFiles
                 (log-files [_ _ _] []))]
    (in-temporary-store
     (core/run! (local-test {:nodes ["n1"], :db db
                             :leave-db-running? true})))
    (is (= [:teardown :setup] @events))))

(deftest large-results-test
  (testing "results are stored in full, and logged in part"
    (in-temporary-store
     (let [checker (reify checker/Checker
                     (check [_ _ _ _]
                       {:valid? false, :ids (vec (range 200000))}))
           test    (core/run! (local-test {:checker checker}))
           log     (slurp (store/path test "jepsen.log"))]
       (is (= 200000 (count (:ids (:results (store/test -1))))))
       (is (str/includes? (slurp (store/path test "results.edn")) "199999"))
       (is (< (count log) 100000))
       (is (str/includes? log "Analysis invalid!"))))))

(deftest synchronize-test
  (testing "without nodes it does not wait"
    (is (nil? (core/synchronize (core/prepare-test {:nodes []})))))
  (testing "alone of two it gives up"
    (is (thrown? java.util.concurrent.TimeoutException
                 (core/synchronize (core/prepare-test {:nodes ["a" "b"]})
                                   0.1)))))

(deftest prepare-test-test
  (let [test (core/prepare-test {:nodes ["a" "b"], :generator {:f :r}})]
    (is (= 2 (:concurrency test)))
    (is (= {:f :r} @(:generator test)))
    (is (= test (core/prepare-test test)) "it is idempotent")))
