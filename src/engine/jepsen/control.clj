(ns jepsen.control
  "Runs commands on nodes.

  A *session* is a connection to one node. `exec` and its kin run on the
  session bound in `*session*`; `on-nodes` binds those of the test, one
  thread per node. `cd`, `su` and `sudo` set where and as whom.

    (on-nodes test (fn [test node]
                     (su (cd \"/var/log\" (exec :ls :-l)))))"
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.tools.logging :refer [info]]
            [jepsen.control.core :as core]
            [jepsen.control.retry :as retry]
            [jepsen.control.sshj :as sshj]
            [jepsen.util :as util])
  (:import (java.io File)
           (java.nio.file Files)
           (java.nio.file.attribute FileAttribute)))

(set! *warn-on-reflection* true)

(def ssh
  "The default remote: sshj, reconnecting."
  (retry/remote (sshj/remote)))

(def ^:dynamic *dummy*
  "When true, sessions connect to nothing and commands throw."
  nil)
(def ^:dynamic *host*
  "The node that commands go to."
  nil)
(def ^:dynamic *session*
  "The connected remote that commands run on."
  nil)
(def ^:dynamic *trace*
  "Whether commands are logged."
  false)
(def ^:dynamic *dir*
  "The directory that commands run in."
  "/")
(def ^:dynamic *sudo*
  "The user that commands run as, or nil for the one who is logged in."
  nil)
(def ^:dynamic *sudo-password*
  "What sudo asks for, if it does."
  nil)
(def ^:dynamic *username*
  "The user who logs in."
  "root")
(def ^:dynamic *password*
  "The password of the user who logs in."
  "root")
(def ^:dynamic *port*
  "The port of the SSH server."
  22)
(def ^:dynamic *private-key-path*
  "A key file to log in with."
  nil)
(def ^:dynamic *strict-host-key-checking*
  "Whether unknown host keys are refused: :yes, or :no or false."
  :yes)
(def ^:dynamic *remote*
  "The remote that `session` connects."
  ssh)
(def ^:dynamic *retries*
  "How often a session is tried to be opened."
  5)

(def lit
  "A string that goes into a command as it stands."
  core/lit)
(def escape
  "Turns a value into shell words; see `jepsen.control.core/escape`."
  core/escape)
(def env
  "A literal that sets environment variables in front of a command."
  core/env)
(def throw-on-nonzero-exit
  "Returns a result, or throws if its command failed."
  core/throw-on-nonzero-exit)

(def |
  "A pipe, between the arguments of `exec`."
  (lit "|"))
(def &&
  "Runs the next command if the one before succeeded."
  (lit "&&"))

(defn conn-spec
  "How to connect to a host, from the dynamic variables."
  ([] (conn-spec *host*))
  ([host]
   {:dummy                    *dummy*
    :host                     host
    :port                     *port*
    :username                 *username*
    :password                 *password*
    :private-key-path         *private-key-path*
    :strict-host-key-checking *strict-host-key-checking*}))

(defn cmd-context
  "Where and as whom commands run, from the dynamic variables."
  []
  {:dir           *dir*
   :sudo          *sudo*
   :sudo-password *sudo-password*})

(defn debug-data
  "The dynamic variables that matter for a failed command, without
  passwords."
  []
  {:dummy                    *dummy*
   :host                     *host*
   :session                  *session*
   :dir                      *dir*
   :sudo                     *sudo*
   :username                 *username*
   :port                     *port*
   :private-key-path         *private-key-path*
   :strict-host-key-checking *strict-host-key-checking*})

(defn- refuse-dummy
  [host]
  (throw (ex-info (str "No commands can run on " host
                       ": this test runs without SSH")
                  {:type :jepsen.control/dummy, :host host})))

(defrecord Dummy [host]
  core/Remote
  (connect [this conn-spec] (assoc this :host (:host conn-spec)))
  (disconnect! [_])
  (execute! [_ _ _] (refuse-dummy host))
  (upload! [_ _ _ _ _] (refuse-dummy host))
  (download! [_ _ _ _ _] (refuse-dummy host)))

(defn session
  "Opens a session to a host."
  [host]
  (core/connect (if *dummy* (Dummy. nil) *remote*) (conn-spec host)))

(defn disconnect
  "Closes a session."
  [session]
  (core/disconnect! session))

(defn- bound-session
  []
  (or *session*
      (throw (ex-info (str "No session is bound; use `on` or `on-nodes`")
                      {:type :jepsen.control/no-session-available
                       :host *host*}))))

(defn wrap-cd
  "The action, run in `*dir*`."
  [action]
  (core/wrap-cd (cmd-context) action))

(defn wrap-sudo
  "The action, run as `*sudo*`."
  [action]
  (core/wrap-sudo (cmd-context) action))

(defn wrap-trace
  "Logs the command if `*trace*` is on; returns the action."
  [action]
  (when *trace*
    (info "Host:" *host* "cmd:" (:cmd action)))
  action)

(defn just-stdout
  "The standard output of a result, without newlines at its end."
  [result]
  (str/trim-newline (:out result)))

(defn ssh*
  "Runs an action as it is; returns it with :exit :out :err :host :action."
  [action]
  (assoc (core/execute! (bound-session) (cmd-context) action)
         :host   *host*
         :action action))

(defn exec*
  "Runs a command made of strings, unescaped. Returns its standard output;
  throws `{:type :jepsen.control/nonzero-exit}` if it fails."
  [& commands]
  (-> {:cmd (str/join " " commands)}
      wrap-cd
      wrap-sudo
      wrap-trace
      ssh*
      core/throw-on-nonzero-exit
      just-stdout))

(defn exec
  "Runs a command made of values, each escaped. Returns its standard output;
  throws `{:type :jepsen.control/nonzero-exit}` if it fails.

    (exec :echo \"two words\" :> \"/tmp/file\")"
  [& commands]
  (apply exec* (map escape commands)))

(defn file->path
  "The path of a file, or of each of a collection; strings are paths."
  [x]
  (cond
    (instance? File x) (.getCanonicalPath ^File x)
    (or (sequential? x) (set? x)) (map file->path x)
    :else x))

(defn- path-coll
  [x]
  (util/coll (file->path x)))

(defn upload
  "Copies a local file, or several, to a path on the node; returns that
  path."
  [local-paths remote-path]
  (core/upload! (bound-session) (cmd-context) (path-coll local-paths)
                remote-path {})
  remote-path)

(defn upload-resource!
  "Copies a resource of the class path to a path on the node; returns that
  path."
  [resource-name remote-path]
  (let [url  (or (io/resource resource-name)
                 (throw (ex-info (str "No resource " resource-name)
                                 {:type     ::no-such-resource
                                  :resource resource-name})))
        file (.toFile (Files/createTempFile "resource" nil
                                            (make-array FileAttribute 0)))]
    (try
      (with-open [in (io/input-stream url)]
        (io/copy in file))
      (upload file remote-path)
      (finally
        (.delete file)))))

(defn download
  "Copies a file of the node, or several, to a local path."
  [remote-paths local-path]
  (core/download! (bound-session) (cmd-context) (path-coll remote-paths)
                  (file->path local-path) {}))

(defn expand-path
  "The path, made absolute from `*dir*` unless it is."
  [path]
  (cond
    (str/starts-with? path "/") path
    (str/ends-with? *dir* "/") (str *dir* path)
    :else (str *dir* "/" path)))

(defmacro cd
  "Runs the body in a directory, relative to the current one."
  [dir & body]
  `(binding [*dir* (expand-path ~dir)]
     ~@body))

(defmacro sudo
  "Runs the body as another user."
  [user & body]
  `(binding [*sudo* (name ~user)]
     ~@body))

(defmacro su
  "Runs the body as root."
  [& body]
  `(sudo :root ~@body))

(defmacro trace
  "Logs the commands of the body."
  [& body]
  `(binding [*trace* true]
     ~@body))

(defmacro with-remote
  "Opens the sessions of the body with this remote."
  [remote & body]
  `(binding [*remote* ~remote]
     ~@body))

(defn ssh-bindings
  "Bindings for the options of `with-ssh`: those given, over what is bound."
  [{:keys [dummy? username password sudo-password port private-key-path
           strict-host-key-checking]
    :as ssh}]
  {#'*dummy*         (boolean (if (contains? ssh :dummy?) dummy? *dummy*))
   #'*username*      (or username *username*)
   #'*password*      (or password *password*)
   #'*sudo-password* (or sudo-password *sudo-password*)
   #'*port*          (or port *port*)
   #'*private-key-path* (or private-key-path *private-key-path*)
   #'*strict-host-key-checking*
   (if (contains? ssh :strict-host-key-checking)
     strict-host-key-checking
     *strict-host-key-checking*)})

(defmacro with-ssh
  "Opens the sessions of the body with these options: a map of :dummy?
  :username :password :sudo-password :port :private-key-path
  :strict-host-key-checking."
  [ssh & body]
  `(with-bindings (ssh-bindings ~ssh)
     ~@body))

(defmacro with-session
  "Runs the body on an open session."
  [host session & body]
  `(binding [*host*    ~host
             *session* ~session]
     ~@body))

(defmacro on
  "Opens a session to a host, runs the body on it and closes it."
  [host & body]
  `(let [host#    ~host
         session# (session host#)]
     (try
       (with-session host# session# ~@body)
       (finally
         (disconnect session#)))))

(defmacro on-many
  "Runs the body on each host in parallel, on sessions of its own. Returns a
  map of host to result."
  [hosts & body]
  `(let [hosts# ~hosts]
     (->> hosts#
          (util/real-pmap (bound-fn* (fn [host#] (on host# ~@body))))
          (map vector hosts#)
          (into {}))))

(defn node-session
  "The test's session for a node."
  [test node]
  (let [session (get (:sessions test) node)]
    (assert session (str "No session for node " (pr-str node)))
    session))

(defn with-node*
  "Calls `(f)` with the test's session for a node bound."
  [test node f]
  (with-bindings (ssh-bindings (:ssh test))
    (with-session node (node-session test node)
      (f))))

(defmacro with-node
  "Runs the body on the test's session for a node."
  [test node & body]
  `(with-node* ~test ~node (fn [] ~@body)))

(defn on-nodes
  "Calls `(f test node)` for every node, or for those given, in parallel,
  each with the test's session bound. Returns a sorted map of node to
  result."
  ([test f]
   (on-nodes test (:nodes test) f))
  ([test nodes f]
   (let [run   (bound-fn* (fn [node]
                            (util/with-thread-name (str "jepsen node " node)
                              [node (with-node* test node #(f test node))])))
         nodes (vec nodes)]
     (doseq [node nodes]
       (node-session test node))
     (into (sorted-map)
           (if (= 1 (count nodes))
             [(run (first nodes))]
             (util/real-pmap run nodes))))))

(defn with-nodes*
  "Calls `(f node)` for every node of the test, or for those given, like
  `on-nodes`."
  ([test f]
   (with-nodes* test (:nodes test) f))
  ([test nodes f]
   (on-nodes test nodes (fn [_test node] (f node)))))

(defmacro with-nodes
  "Runs the body on each of the nodes in parallel; returns a map of node to
  result."
  [test nodes & body]
  `(with-nodes* ~test ~nodes (fn [node#] ~@body)))

(defmacro with-all-nodes
  "Runs the body on every node of the test in parallel; returns a map of
  node to result."
  [test & body]
  `(with-nodes* ~test (fn [node#] ~@body)))

(defmacro with-test-nodes
  "Runs the body on every node of the test in parallel; returns a map of
  node to result."
  [test & body]
  `(with-all-nodes ~test ~@body))
