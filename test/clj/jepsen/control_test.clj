(ns jepsen.control-test
  "Commands and copies on a real OpenSSH server, and shell words without
  one."
  (:require [clojure.java.io :as io]
            [clojure.java.shell :as shell]
            [clojure.test :refer [deftest is testing use-fixtures]]
            [jepsen.control :as c]
            [jepsen.control.agent :as agent]
            [jepsen.control.core :as core]
            [jepsen.control.util :as cu]
            [jepsen.sshd :as sshd]
            [jepsen.util :as util])
  (:import (java.io File)
           (java.nio.file Files)
           (java.util Arrays Random)))

(set! *warn-on-reflection* true)

(def ^:private server
  "The server that all tests of this namespace use, or nil."
  (atom nil))

(use-fixtures
  :once
  (fn [run]
    (if-not (sshd/available?)
      (do (println "No sshd here, or no right to start one:"
                   "tests of remote commands are skipped.")
          (run))
      (do (reset! server (sshd/start!))
          (try
            (run)
            (finally
              (sshd/stop! @server)
              (reset! server nil)))))))

(defmacro ^:private on-server
  "Evaluates the body on a session of the server, if there is one."
  [& body]
  `(when-let [s# @server]
     (c/with-ssh (:ssh s#)
       (c/on "127.0.0.1" ~@body))))

(defmacro ^:private with-temporary-dir
  [[dir] & body]
  `(let [~dir (cu/tmp-dir!)]
     (try
       ~@body
       (finally
         (c/exec :rm :-rf ~dir)))))

(defn- thrown-data
  [f]
  (try (f) nil
       (catch clojure.lang.ExceptionInfo e (ex-data e))))

(deftest env-test
  (is (= "A=1 B=\"x y\"" (:string (c/env {:A 1, :B "x y"}))))
  (is (= "X=1" (:string (c/env (c/lit "X=1")))))
  (is (thrown? IllegalArgumentException (c/env 5))))

(deftest expand-path-test
  (c/cd "/a"
    (is (= "/a/b" (c/expand-path "b")))
    (is (= "/b" (c/expand-path "/b")))
    (c/cd "b"
      (is (= "/a/b/c" (c/expand-path "c"))))))

(deftest dummy-session-test
  (testing "it connects to nothing and refuses commands"
    (c/with-ssh {:dummy? true}
      (c/on "nowhere"
        (is (= :jepsen.control/dummy (:type (thrown-data #(c/exec :ls)))))))))

(deftest no-session-test
  (is (= :jepsen.control/no-session-available
         (:type (thrown-data #(c/exec :ls))))))

(deftest exec-test
  (on-server
   (testing "arguments arrive as they are"
     (doseq [s ["two words" "$HOME" "\"quoted\"" "back\\slash" "`date`" "a;b"
                "(x)" "*" "ünï" ""]]
       (is (= s (c/exec :printf "%s" s)))))
   (testing "commands run in *dir*"
     (is (= "/tmp" (c/cd "/tmp" (c/exec :pwd)))))
   (testing "su is root"
     (is (= "0" (c/su (c/exec :id :-u)))))
   (testing "a failing command throws what it printed"
     (is (= {:type :jepsen.control/nonzero-exit
             :exit 3
             :cmd  "cd /; echo out; echo err >&2; exit 3"
             :out  "out\n"
             :err  "err\n"
             :host "127.0.0.1"}
            (dissoc (thrown-data
                     #(c/exec* "echo out; echo err >&2; exit 3"))
                    :action))))
   (testing "a killed command counts as failed"
     (is (= 137 (:exit (c/ssh* {:cmd "kill -9 $$"})))))))

(deftest large-streams-test
  (let [large (apply str (repeat 3000000 "x"))]
    (on-server
     (testing "both outputs are read at once"
       (let [{:keys [out err]}
             (c/ssh* {:cmd (str "head -c 4000000 /dev/zero >&2; "
                                "head -c 3000000 /dev/zero")})]
         (is (= [3000000 4000000] [(count out) (count err)]))))
     (testing "input comes through"
       (is (= "3000000"
              (c/just-stdout (c/ssh* {:cmd "wc -c", :in large})))))
     (testing "input may stay unread"
       (dotimes [_ 5]
         (is (= 0 (:exit (c/ssh* {:cmd "true", :in large})))))))))

(deftest copy-test
  (on-server
   (with-temporary-dir [dir]
     (let [local  (File/createTempFile "control" ".bin")
           back   (File/createTempFile "control" ".bin")
           bytes  (byte-array 1000000)
           remote (str dir "/with space")]
       (try
         (.nextBytes (Random. 1) bytes)
         (io/copy bytes local)
         (is (= remote (c/upload local remote)))
         (c/download remote back)
         (is (Arrays/equals bytes (Files/readAllBytes (.toPath back))))
         (testing "a missing file is an error, not a lost connection"
           (is (= :jepsen.control/copy-failed
                  (:type (thrown-data #(c/download (str dir "/none")
                                                   back))))))
         (finally
           (.delete local)
           (.delete back)))))))

(deftest reconnect-test
  (on-server
   (is (= "1" (c/exec :echo 1)))
   (sshd/kill-connections! @server)
   (testing "commands go on over a new connection"
     (is (= "2" (c/exec :echo 2))))))

(deftest concurrent-commands-test
  (on-server
   (testing "more commands than a connection takes at a time wait their turn"
     (is (= (map str (range 20))
            (->> (range 20)
                 (mapv (fn [i] (future (c/exec :echo i))))
                 (mapv deref)))))))

(deftest refused-session-test
  (when-let [s @server]
    (testing "nobody listens"
      (is (= :jepsen.control/ssh-failed
             (:type (thrown-data
                     #(c/with-ssh (assoc (:ssh s) :port (sshd/free-port))
                        (c/session "127.0.0.1")))))))
    (testing "a key that does not exist"
      (is (= :jepsen.control/session-error
             (:type (thrown-data
                     #(c/with-ssh (assoc (:ssh s)
                                         :private-key-path "/none/key")
                        (c/session "127.0.0.1")))))))
    (testing "an unknown host key, where they are checked"
      (is (some? (thrown-data
                  #(c/with-ssh (assoc (:ssh s)
                                      :strict-host-key-checking true)
                     (c/session "127.0.0.1"))))))))

(defn- with-agent-of
  "Calls `(f socket)` while an ssh-agent holds the server's user key."
  [{:keys [dir ssh]} f]
  (let [socket  (str dir "/agent")
        process (.start (ProcessBuilder.
                         ^"[Ljava.lang.String;"
                         (into-array ["ssh-agent" "-D" "-a" socket])))]
    (try
      (util/await-fn #(when-not (.exists (io/file socket))
                        (throw (IllegalStateException. "no socket yet")))
                     {:retry-interval 10, :timeout 5000
                      :log-interval   5000})
      (let [{:keys [exit err]}
            (shell/sh "ssh-add" (:private-key-path ssh)
                      :env {"SSH_AUTH_SOCK" socket
                            "PATH" (System/getenv "PATH")})]
        (is (= 0 exit) err))
      (f socket)
      (finally
        (.destroy process)))))

(deftest agent-test
  (when-let [s @server]
    (testing "the key of an agent opens the door"
      (with-agent-of s
        (fn [socket]
          (with-redefs [agent/socket-path (constantly socket)]
            (c/with-ssh (dissoc (:ssh s) :private-key-path)
              (c/on "127.0.0.1"
                (is (= "in" (c/exec :echo :in)))))))))
    (testing "without it the door stays shut"
      (with-redefs [agent/socket-path (constantly nil)]
        (is (= :jepsen.control/session-error
               (:type (thrown-data
                       #(c/with-ssh (dissoc (:ssh s) :private-key-path)
                          (c/session "127.0.0.1"))))))))))

(deftest on-nodes-test
  (when-let [s @server]
    (c/with-ssh (:ssh s)
      (let [session (c/session "127.0.0.1")
            test    {:nodes    ["127.0.0.1" "localhost"]
                     :ssh      (:ssh s)
                     :sessions {"127.0.0.1" session
                                "localhost" session}}]
        (try
          (is (= {"127.0.0.1" "127.0.0.1", "localhost" "localhost"}
                 (c/on-nodes test (fn [_test node] (c/exec :echo node)))))
          (testing "a node without a session is refused"
            (is (thrown? AssertionError
                         (c/on-nodes test ["n9"] (fn [_ _])))))
          (finally
            (c/disconnect session)))))))

(deftest files-test
  (on-server
   (with-temporary-dir [dir]
     (is (cu/exists? dir))
     (is (not (cu/file? dir)))
     (c/cd dir
       (is (= "a b" (cu/write-file! "x \"y\" $z\n" "a b")))
       (is (= "x \"y\" $z" (c/exec :cat "a b")))
       (c/exec :mkdir :-p "d/e")
       (c/exec :touch "d/f")
       (is (= ["a b" "d"] (cu/ls)))
       (is (= ["d/f"] (filterv #(= "d/f" %)
                               (cu/ls "." {:recursive? true
                                           :types [:file]}))))
       (is (= [(str dir "/d/e") (str dir "/d/f")]
              (cu/ls-full (str dir "/d"))))))))

(deftest archive-test
  (on-server
   (with-temporary-dir [dir]
     (c/exec :mkdir :-p (str dir "/pkg/bin"))
     (cu/write-file! "hi" (str dir "/pkg/bin/tool"))
     (let [tarball (cu/tarball! (str dir "/pkg") (str dir "/pkg.tar.gz"))
           dest    (str dir "/opt/pkg")]
       (is (= dest (cu/install-archive! (str "file://" tarball) dest)))
       (testing "the only folder of the archive becomes the destination"
         (is (= ["bin" "bin/tool"] (cu/ls dest {:recursive? true}))))
       (testing "the destination is emptied first"
         (c/exec :touch (str dest "/old"))
         (cu/install-archive! (str "file://" tarball) dest)
         (is (= ["bin"] (cu/ls dest))))))))

(deftest daemon-test
  (on-server
   (with-temporary-dir [dir]
     (let [pidfile (str dir "/pid")
           opts    {:pidfile pidfile
                    :logfile (str dir "/log")
                    :chdir   dir
                    :env     {:GREETING "hello you"}}
           start!  #(cu/start-daemon! opts "/bin/sh" :-c
                                      "echo $GREETING; exec sleep 600")]
       (is (nil? (cu/daemon-running? pidfile)))
       (is (= :started (start!)))
       (is (re-matches #"\d+" (cu/daemon-running? pidfile)))
       (is (= :already-running
              (cu/start-daemon! (assoc opts :match-executable? false)
                                "/bin/sh" :-c "exec sleep 600")))
       (let [pid (c/exec :cat pidfile)]
         (cu/stop-daemon! pidfile)
         (testing "it waits for the end"
           (is (re-matches #"|Z.*" (c/exec* "ps -o stat= -p" pid
                                            "|| true")))))
       (is (nil? (cu/daemon-running? pidfile)))
       (is (re-find #"hello you" (c/exec :cat (str dir "/log"))))))))

(deftest grepkill-test
  (on-server
   (with-temporary-dir [dir]
     (let [pidfile (str dir "/pid")
           marker  (str dir "/marker")]
       (cu/start-daemon! {:pidfile pidfile
                          :logfile (str dir "/log")
                          :match-executable? false}
                         "/bin/sh" :-c (str "sleep 600; : " marker))
       (is (cu/daemon-running? pidfile))
       (cu/grepkill! marker)
       (cu/stop-daemon! pidfile)
       (testing "nothing to kill is fine"
         (is (nil? (cu/grepkill! marker))))))))

(deftest retried-command-test
  (testing "a broken connection is replaced; other failures are not retried"
    (let [calls (atom [])
          inner (reify core/Remote
                  (connect [this _] (swap! calls conj :connect) this)
                  (disconnect! [_] (swap! calls conj :disconnect))
                  (execute! [_ _ action]
                    (swap! calls conj (:cmd action))
                    (case (:cmd action)
                      "broken" (throw (ex-info "x" {:type ::c/ssh-failed}))
                      "bad"    (throw (ex-info "x" {:type ::other}))
                      (assoc action :exit 0 :out "" :err "")))
                  (upload! [_ _ _ _ _])
                  (download! [_ _ _ _ _]))
          retry  (requiring-resolve 'jepsen.control.retry/remote)
          remote (core/connect (retry inner) {:host "n1"})]
      (is (= ::c/ssh-failed
             (:type (thrown-data
                     #(core/execute! remote {} {:cmd "broken"})))))
      (is (= 5 (count (filter #{"broken"} @calls))))
      (is (= 5 (count (filter #{:connect} @calls))))
      (is (= ::other
             (:type (thrown-data #(core/execute! remote {} {:cmd "bad"})))))
      (is (= 1 (count (filter #{"bad"} @calls)))))))
