(ns jepsen.control.util
  "Common jobs on the bound node: files, archives, users, daemons."
  (:require [clojure.string :as str]
            [clojure.tools.logging :refer [info]]
            [jepsen.control :as c :refer [lit]]
            [jepsen.util :as util])
  (:import (java.util Base64)))

(set! *warn-on-reflection* true)

(def tmp-dir-base
  "Folder of a node under which temporary files go."
  "/tmp/jepsen")

(def wget-cache-dir
  "Folder of a node that keeps what `cached-wget!` fetched."
  (str tmp-dir-base "/wget-cache"))

(def std-wget-opts
  "Options that make wget patient, but not for ever."
  [:--tries 20 :--waitretry 60 :--retry-connrefused :--dns-timeout 60
   :--connect-timeout 60 :--read-timeout 60])

(def ^:private kill-timeout-ms 30000)

(defn- exit-code
  [e]
  (when (= ::c/nonzero-exit (:type (ex-data e)))
    (:exit (ex-data e))))

(defmacro ^:private ok?
  "Whether the commands of the body exit with 0. Failures to run them at all
  are thrown."
  [& body]
  `(try
     ~@body
     true
     (catch clojure.lang.ExceptionInfo e#
       (if (exit-code e#) false (throw e#)))))

(defmacro ^:private ignoring-exit
  [& body]
  `(try
     ~@body
     (catch clojure.lang.ExceptionInfo e#
       (when-not (exit-code e#) (throw e#)))))

(defn await-tcp-port
  "Waits until somebody listens on a port, by default of the node itself.
  Options, all in milliseconds: :retry-interval, :log-interval, :timeout."
  ([port] (await-tcp-port port {}))
  ([port opts] (await-tcp-port "localhost" port opts))
  ([host port opts]
   (util/await-fn (fn []
                    (c/exec :bash :-c
                            (str "exec 3<>/dev/tcp/" host "/" port))
                    nil)
                  (merge {:log-message (str "Waiting for port " port " ...")}
                         opts))))

(defn file?
  "Whether the path is a regular file."
  [path]
  (ok? (c/exec :test :-f path)))

(defn exists?
  "Whether the path exists."
  [path]
  (ok? (c/exec :stat path)))

(def ^:private find-types
  {:block "b", :char "c", :dir "d", :pipe "p", :file "f", :link "l"
   :socket "s"})

(defn ls
  "Sorted names in a folder, by default the current one. Options:

    :recursive?  also of the folders in it
    :types       only these: a list of :file :dir :link :socket ...
    :full-path?  with the folder's path in front"
  ([] (ls "."))
  ([dir] (ls dir {}))
  ([dir {:keys [recursive? types full-path?]}]
   (let [wanted (interpose :-o (map (fn [t] [:-type (find-types t)]) types))
         out    (c/exec :find dir :-mindepth 1
                        (when-not recursive? [:-maxdepth 1])
                        (when (seq wanted)
                          [(lit "\\(") wanted (lit "\\)")])
                        :-printf (if full-path? "%p\\n" "%P\\n"))]
     (vec (sort (remove str/blank? (str/split-lines out)))))))

(defn ls-full
  "Like `ls`, with full paths."
  ([dir] (ls-full dir {}))
  ([dir opts] (ls dir (assoc opts :full-path? true))))

(defn- tmp-name
  [ext]
  (str tmp-dir-base "/" (random-uuid) ext))

(defn tmp-file!
  "Makes an empty temporary file, with an extension if given; returns its
  path."
  ([] (tmp-file! ""))
  ([ext]
   (let [file (tmp-name ext)]
     (if (exists? file)
       (recur ext)
       (do (c/exec :mkdir :-p tmp-dir-base)
           (c/exec :touch file)
           file)))))

(defn tmp-dir!
  "Makes a temporary folder; returns its path."
  []
  (let [dir (tmp-name "")]
    (if (exists? dir)
      (recur)
      (do (c/exec :mkdir :-p dir)
          dir))))

(defn write-file!
  "Writes a string to a file of the node; returns the file."
  [string file]
  (-> {:cmd (str "cat > " (c/escape file))
       :in  string}
      c/wrap-cd
      c/wrap-sudo
      c/wrap-trace
      c/ssh*
      c/throw-on-nonzero-exit)
  file)

(defn- url->name
  [url]
  (last (str/split (first (str/split url #"[?#]")) #"/")))

(defn- wget-with-retries!
  "wget answers 4 for trouble of the network."
  [args]
  (loop [tries-left 5]
    (let [failed (try
                   (c/exec :wget args)
                   nil
                   (catch clojure.lang.ExceptionInfo e
                     (if (and (= 4 (exit-code e)) (< 1 tries-left))
                       e
                       (throw e))))]
      (when failed
        (info "Download failed; trying again:" (:err (ex-data failed)))
        (recur (dec tries-left))))))

(defn- credentials
  [{:keys [user? pw?]}]
  (when user?
    [:--user user? (when pw? [:--password pw?])]))

(defn wget!
  "Fetches a URL into the current folder, unless the file is there; returns
  the file's name. Options: :force? fetches anyway; :user? and :pw?."
  ([url] (wget! url {}))
  ([url opts]
   (let [opts (if (map? opts) opts {:force? opts})
         file (url->name url)]
     (when (:force? opts)
       (c/exec :rm :-f file))
     (when-not (exists? file)
       (wget-with-retries! [std-wget-opts (credentials opts) url]))
     file)))

(defn- url->cache-path
  [^String url]
  (str wget-cache-dir "/"
       (.encodeToString (Base64/getUrlEncoder) (.getBytes url "UTF-8"))))

(defn cached-wget!
  "Fetches a URL into the node's cache, unless it is there; returns the path
  of the file. Options as in `wget!`."
  ([url] (cached-wget! url {:force? false}))
  ([url opts]
   (let [file (url->cache-path url)]
     (when (:force? opts)
       (info "Clearing cached copy of" url)
       (c/exec :rm :-rf file))
     (when-not (exists? file)
       (info "Downloading" url)
       (c/exec :mkdir :-p wget-cache-dir)
       (c/cd wget-cache-dir
             (wget-with-retries! [std-wget-opts (credentials opts)
                                  :-O file url])))
     file)))

(defn- local-archive
  "The path that a file:// URL names on the node, or nil."
  [url]
  (second (re-find #"^file://(.+)" url)))

(defn- corrupt-archive?
  [e]
  (some #(str/includes? (str (:err (ex-data e))) %)
        ["Unexpected EOF"
         "unexpected end of file"
         "This does not look like a tar archive"
         "cannot find zipfile directory"]))

(defn- unpack!
  [url archive dir]
  (c/cd dir
        (if (re-find #"\.zip$" url)
          (c/exec :unzip :-q archive)
          (c/exec :tar :--no-same-owner :--no-same-permissions
                  :--extract :--file archive))
        (when (= "root" c/*sudo*)
          (c/exec :chown :-R "root:root" "."))))

(defn install-archive!
  "Fetches and unpacks an archive (tar of any kind, or zip) from a URL, or
  from the node itself if the URL begins with file://, into the folder
  `dest`, which is emptied first. If all of the archive is in one folder,
  that folder's contents go to `dest`. Returns `dest`. Options as in
  `wget!`."
  ([url dest] (install-archive! url dest {}))
  ([url dest opts]
   (let [opts    (if (map? opts) opts {:force? opts})
         local   (local-archive url)
         archive (or local (cached-wget! url opts))
         tmp     (tmp-dir!)
         dest    (c/expand-path dest)
         failure (try
                   (c/exec :rm :-rf dest)
                   (c/exec :mkdir :-p (str/replace dest #"/[^/]+/?$" "/"))
                   (unpack! url archive tmp)
                   (let [roots (ls tmp)]
                     (assert (seq roots) (str "Empty archive: " url))
                     (if (= 1 (count roots))
                       (c/exec :mv (str tmp "/" (first roots)) dest)
                       (c/exec :mv tmp dest)))
                   nil
                   (catch clojure.lang.ExceptionInfo e
                     (if (and (corrupt-archive? e) (not local)
                              (not (:force? opts)))
                       e
                       (throw e)))
                   (finally
                     (c/exec :rm :-rf tmp)))]
     (if failure
       (do (info "The archive is damaged; fetching it again")
           (recur url dest (assoc opts :force? true)))
       dest))))

(defn tarball!
  "Packs a path of the node into a .tar.gz, by default a temporary one;
  returns its path."
  ([path] (tarball! path (tmp-file! ".tar.gz")))
  ([path tarball]
   (let [path  (c/expand-path path)
         [_ dir base] (re-find #"^(.*?)/([^/]+)/*$" path)]
     (c/exec :tar :-czf tarball :-C (if (= "" dir) "/" dir) base)
     tarball)))

(defn ensure-user!
  "Makes sure that a user exists."
  [username]
  (try
    (c/su (c/exec :adduser :--disabled-password :--gecos (lit "''") username))
    (catch clojure.lang.ExceptionInfo e
      (when-not (re-find #"already exists" (str (:err (ex-data e))))
        (throw e))))
  username)

(defn- signal-name
  [signal]
  (str/upper-case (if (keyword? signal) (name signal) (str signal))))

(defmacro ^:private within-kill-timeout
  [what & body]
  `(let [res# (util/timeout kill-timeout-ms ::timeout ~@body)]
     (when (= ::timeout res#)
       (throw (ex-info (str "Killing " ~what " on " c/*host* " took too long")
                       {:type ::kill-timed-out, :what ~what})))
     res#))

(defn grepkill!
  "Sends a signal (by default 9) to every process whose command line matches
  the pattern."
  ([pattern] (grepkill! 9 pattern))
  ([signal pattern]
   (within-kill-timeout pattern
     (try
       (c/exec :pgrep :-f :--ignore-ancestors pattern
               c/| :xargs :--no-run-if-empty :kill
               (str "-" (signal-name signal)))
       (catch clojure.lang.ExceptionInfo e
         (when-not (or (= 0 (exit-code e))
                       (re-find #"(?i)no such process"
                                (str (:err (ex-data e)))))
           (throw e)))))
   nil))

(defn kill-bin!
  "Sends a signal (by default 9) to every process of an executable, given by
  its absolute path; with `wait?` (the default) until they have ended."
  ([path] (kill-bin! 9 path))
  ([signal path] (kill-bin! signal true path))
  ([signal wait? path]
   (within-kill-timeout path
     (ignoring-exit
      (c/exec :killall (when wait? :-w) :-q :-s (signal-name signal) path)))
   nil))

(defn signal!
  "Sends a signal to the processes of a name. Returns :signaled."
  [process-name signal]
  (ignoring-exit
   (c/exec :pkill :--signal (signal-name signal) process-name))
  :signaled)

(defn- daemon-command
  "The start-stop-daemon command line for `start-daemon!`."
  [opts bin args]
  (let [{:keys [env background? chdir exec logfile make-pidfile?
                match-executable? match-process-name? pidfile process-name]
         :or   {background?       true
                make-pidfile?     true
                match-executable? true}} opts
        env (c/env env)]
    (remove nil?
            (concat
             (when env [env])
             [:start-stop-daemon :--start]
             (when background? [:--background :--no-close])
             (when (and pidfile make-pidfile?) [:--make-pidfile])
             (when match-executable? [:--exec (or exec bin)])
             (when match-process-name?
               [:--name (or process-name (url->name bin))])
             (when pidfile [:--pidfile pidfile])
             (when chdir [:--chdir chdir])
             [:--startas bin :--]
             args
             [:>> logfile (lit "2>&1")]))))

(defn start-daemon!
  "Starts a program in the background, unless it runs. Returns :started or
  :already-running. Options:

    :env                  environment: map of names to values
    :background?          detach it (default true)
    :chdir                folder to run in
    :exec                 executable to look for, if another than `bin`
    :logfile              where its output is appended
    :make-pidfile?        write its process id (default true)
    :match-executable?    look for running processes of the executable
                          (default true)
    :match-process-name?  look for running processes by name
    :pidfile              where its process id is
    :process-name         that name, if another than `bin`'s"
  [opts bin & args]
  (c/exec :echo (lit "`date +'%Y-%m-%d %H:%M:%S'`")
          (str "Jepsen starting " (c/escape (c/env (:env opts))) " " bin " "
               (c/escape args))
          :>> (:logfile opts))
  (try
    (apply c/exec (daemon-command opts bin args))
    :started
    (catch clojure.lang.ExceptionInfo e
      (if (= 1 (exit-code e))
        :already-running
        (throw e)))))

(defn- pid-of
  "The process id in a pid file, or nil."
  [pidfile]
  (let [content (try
                  (str/trim (c/exec :cat pidfile))
                  (catch clojure.lang.ExceptionInfo e
                    (when-not (exit-code e) (throw e))))]
    (when-not (str/blank? content)
      content)))

(defn- process-ended?
  "Whether a process is gone; a zombie is."
  [pid]
  (let [state (try
                (c/exec :ps :-o "stat=" :-p pid)
                (catch clojure.lang.ExceptionInfo e
                  (if (exit-code e) "" (throw e))))]
    (or (str/blank? state)
        (str/starts-with? (str/trim state) "Z"))))

(defn- await-end!
  [pid]
  (within-kill-timeout pid
    (while (not (process-ended? pid))
      (util/sleep 20))))

(defn stop-daemon!
  "Kills a program by the process id in its pid file, or every process of
  the command `cmd` by a signal (default 9), waits for the end and removes
  the pid file. It is no error if nothing runs."
  ([pidfile]
   (when-let [pid (pid-of pidfile)]
     (ignoring-exit (c/exec :kill :-9 pid))
     (await-end! pid))
   (c/exec :rm :-rf pidfile))
  ([cmd pidfile] (stop-daemon! cmd pidfile 9))
  ([cmd pidfile signal]
   (info "Stopping" cmd)
   (within-kill-timeout cmd
     (ignoring-exit
      (c/exec :killall (str "-" (signal-name signal)) :-w cmd)))
   (when pidfile
     (c/exec :rm :-rf pidfile))))

(defn daemon-running?
  "The process id of a running daemon; false if its process is gone, nil if
  there is no pid file."
  [pidfile]
  (when-let [pid (pid-of pidfile)]
    (if (process-ended? pid) false pid)))
