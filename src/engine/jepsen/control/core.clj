(ns jepsen.control.core
  "The protocol of a remote host, and the pure functions that turn arguments
  into shell commands.

  A `Remote` runs commands on one host and copies files to and from it. Two
  kinds of maps go with every call:

    context  {:dir           directory to run in
              :sudo          user to run as, or nil
              :sudo-password password that user's sudo asks for, or nil}
    action   {:cmd  command string
              :in   what the command reads from standard input, or nil}

  Running an action gives that action with `:exit`, `:out` and `:err`."
  (:require [clojure.string :as str]))

(set! *warn-on-reflection* true)

(defprotocol Remote
  "Runs commands on a host."
  (connect [this conn-spec]
    "Returns a remote connected to the host of `conn-spec`, a map of :dummy
    :host :port :username :password :private-key-path
    :strict-host-key-checking.")
  (disconnect! [this]
    "Closes the connection.")
  (execute! [this context action]
    "Runs the action; returns it with :exit, :out and :err.")
  (upload! [this context local-paths remote-path opts]
    "Copies local files (a path or several) to the remote path.")
  (download! [this context remote-paths local-path opts]
    "Copies remote files (a path or several) to the local path."))

(defrecord Literal [string])

(defn lit
  "A string that goes into a command as it stands, unescaped."
  [s]
  (Literal. s))

(def ^:private special-chars
  "Matches strings that the shell would take apart."
  #"[\\\$`\"\s\(\)\{\}\[\]\*\?<>&;]")

(defn- quoted
  [^String s]
  (str \" (str/replace s #"([\\\$`\"])" "\\\\$1") \"))

(defn escape
  "Turns a value into one shell word, or several for a collection.

  Literals stand as they are, so do the keywords `:>`, `:>>` and `:<`; nil
  is empty; named things go by their name, anything else by `str`. A word
  that the shell would take apart is put in double quotes.

    (escape [:a \"b c\"]) ; => a \"b c\""
  [x]
  (cond
    (nil? x) ""
    (instance? Literal x) (:string x)
    (#{:> :>> :<} x) (name x)
    (or (sequential? x) (set? x)) (str/join " " (map escape x))
    :else
    (let [s (if (instance? clojure.lang.Named x) (name x) (str x))]
      (cond
        (= "" s) "\"\""
        (re-find special-chars s) (quoted s)
        :else s))))

(defn env
  "A literal that sets environment variables in front of a command. Takes a
  map of names to values, a ready-made string, a literal, or nil.

    (env {:LANG \"C\"}) ; => LANG=C"
  [x]
  (cond
    (nil? x) nil
    (instance? Literal x) x
    (map? x) (lit (str/join " " (map (fn [[k v]]
                                       (str (name k) "=" (escape v)))
                                     x)))
    (string? x) (lit x)
    :else (throw (IllegalArgumentException.
                  (str "Not an environment: " (pr-str x))))))

(defn wrap-cd
  "The action, run in the directory of the context."
  [context action]
  (if-let [dir (:dir context)]
    (assoc action :cmd (str "cd " (escape dir) "; " (:cmd action)))
    action))

(defn wrap-sudo
  "The action, run as the context's `:sudo` user. A sudo password goes in
  front of the command's own input."
  [context action]
  (let [{:keys [sudo sudo-password]} context]
    (if-not sudo
      action
      (cond-> (assoc action :cmd (str "sudo -k -S -u " (escape sudo)
                                      " bash -c " (escape (:cmd action))))
        sudo-password (assoc :in (str sudo-password "\n" (:in action)))))))

(defn throw-on-nonzero-exit
  "Returns the result of a command, or throws
  `{:type :jepsen.control/nonzero-exit}` with :exit :cmd :out :err :host
  :action if it failed."
  [{:keys [exit out err host action] :as result}]
  (if (= 0 exit)
    result
    (let [cmd (or (:cmd action) (:cmd result))]
      (throw (ex-info (str "Command exited with status " exit
                           (when host (str " on node " host)) ":\n"
                           cmd "\n\nOutput:\n" out "\n\nError:\n" err)
                      {:type   :jepsen.control/nonzero-exit
                       :exit   exit
                       :cmd    cmd
                       :out    out
                       :err    err
                       :host   host
                       :action action})))))
