(ns interregnum.host.local
  "Hosts made on this machine, by `nodes/local/provision`: namespaces with an SSH
  server each, on a private bridge.

  The hosts of a run live as long as the process that made them: their keeper, a
  child of ours, removes them when its standard input ends, however we end."
  (:require [clojure.java.io :as io]
            [clojure.string :as str])
  (:import (java.io BufferedReader File)
           (java.util.concurrent TimeUnit)))

(def ^:private private-key
  "What logs in on every local host."
  "/var/tmp/interregnum-hosts/id_ed25519")

(def ssh
  "How to log in on local hosts, as Jepsen's `:ssh` options."
  {:username                 "root"
   :port                     22
   :private-key-path         private-key
   :strict-host-key-checking false})

(def ^:private up-timeout-ms 60000)
(def ^:private down-timeout-ms 30000)

(defn- provision-command
  [args]
  (let [home (or (System/getenv "INTERREGNUM_HOME") ".")]
    (into [(.getPath ^File (io/file home "nodes" "local" "provision"))] args)))

(defn- start-provision!
  "Starts the provisioning script apart from our terminal, whose interrupts are not
  meant for it."
  ^Process [args]
  (-> (ProcessBuilder. ^java.util.List (into ["setsid"] (provision-command args)))
      (.redirectErrorStream true)
      (.start)))

(defn- trouble
  "An exception that says what the script complained of among its `lines`; of type
  :usage if it took offence at its arguments."
  [exit-code lines]
  (let [complaint (or (first (filter #(str/starts-with? % "interregnum: ") lines))
                      (last lines)
                      "local hosts did not come up")]
    (ex-info (str/replace-first complaint "interregnum: " "")
             {:type (if (= 254 exit-code) :usage ::trouble), :lines lines})))

(defn- read-hosts
  "Reads the script's lines up to `ready`: a map name → address."
  [^Process script]
  (let [^BufferedReader output (io/reader (.getInputStream script))]
    (loop [lines []]
      (let [line (.readLine output)]
        (cond
          (= "ready" line) (into {} (map #(str/split % #" ")) lines)
          line             (recur (conj lines line))
          :else            (throw (trouble (.waitFor script) lines)))))))

(defn up!
  "Makes local hosts and waits until one can log in. Throws an exception with one
  sentence when that is not possible. Options:

    :nodes  their names

  Returns

    :addresses  name → IP address
    :ssh        how to log in, as Jepsen's `:ssh` options
    :keeper     the process that removes them"
  [{:keys [nodes]}]
  (let [keeper    (start-provision! (into ["run"] nodes))
        addresses (future (read-hosts keeper))]
    (try
      (let [hosts (deref addresses up-timeout-ms nil)]
        (when-not hosts
          (throw (ex-info "local hosts took longer than a minute to come up"
                          {:type ::trouble})))
        {:addresses hosts, :ssh ssh, :keeper keeper})
      (catch Throwable t
        (.destroy keeper)
        (throw (or (ex-cause t) t))))))

(defn- end-keeper!
  "Tells the keeper `word`, ends its input and waits for it."
  [{:keys [^Process keeper]} word]
  (with-open [input (io/writer (.getOutputStream keeper))]
    (.write input (str word "\n")))
  (when-not (.waitFor keeper down-timeout-ms TimeUnit/MILLISECONDS)
    (.destroy keeper)
    (throw (ex-info "local hosts took too long to be removed" {:type ::trouble}))))

(defn down!
  "Removes the hosts that `up!` returned, and waits until they are gone."
  [hosts]
  (end-keeper! hosts "remove"))

(defn leave!
  "Lets the hosts that `up!` returned stay after us, until `hosts down`."
  [hosts]
  (end-keeper! hosts "leave"))

(defn provision!
  "Runs the provisioning script with `args` on our own standard streams; its exit
  code."
  [args]
  (-> (ProcessBuilder. ^java.util.List (provision-command args))
      (.inheritIO)
      (.start)
      (.waitFor)))

(defn status
  "The local hosts that exist, as maps of :set, :node, :address and :holder, which
  says who uses them."
  []
  (let [script (start-provision! ["status"])
        lines  (line-seq (io/reader (.getInputStream script)))]
    (mapv #(zipmap [:set :node :address :holder] (str/split % #" " 4)) lines)))
