(ns interregnum.target.install
  "Puts the node program on hosts. Called with a host's session bound, as
  `jepsen.control/on-nodes` does."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.tools.logging :refer [info]]
            [interregnum.host :as host]
            [jepsen.control :as c])
  (:import (java.io File)
           (java.nio.file Files)
           (java.security MessageDigest)
           (java.util HexFormat)))

(def folder
  "Where the program is on a host. It outlives a test, for the next one."
  "/opt/interregnum")

(def jar
  "The program's path on a host."
  (str folder "/nodes.jar"))

(def ^:private packages
  "What the program needs on a host: command → the Debian package that has it."
  {"etcd" "etcd-server", "java" "default-jre-headless"})

(defn- built-jar
  "The program as this checkout's build made it."
  ^File []
  (let [file (io/file (host/home) "target" "nodes.jar")]
    (when-not (.exists file)
      (throw (ex-info (str file " is missing; bin/interregnum builds it") {:type ::not-built})))
    (.getCanonicalFile file)))

(defn- sha256
  [^File file]
  (.formatHex (HexFormat/of)
              (.digest (MessageDigest/getInstance "SHA-256") (Files/readAllBytes (.toPath file)))))

(defn program
  "The program to install, {:path :sha256}."
  []
  (let [file (built-jar)]
    {:path (.getPath file), :sha256 (sha256 file)}))

(defn- look-around
  "What the bound host has: `:commands` found, and which `:jars` of `paths` hold the
  program."
  [{:keys [sha256]} paths]
  (let [lines (str/split-lines
               (c/exec* "command -v" (str/join " " (keys packages)) ";"
                        "sha256sum" (str/join " " (map c/escape paths)) "2>/dev/null; true"))]
    {:commands (set (keep #(second (re-find #"^/.*/(\w+)$" %)) lines))
     :jars     (set (keep #(second (re-find (re-pattern (str "^" sha256 " [ *](.*)$")) %))
                          lines))}))

(defn- install-packages!
  "Installs the Debian packages of the commands that `found` lacks."
  [node found]
  (when-let [missing (seq (vals (apply dissoc packages found)))]
    (info "Installing" missing "on" node)
    (try
      (c/exec :apt-get :-q :update)
      (c/exec :env "DEBIAN_FRONTEND=noninteractive"
              :apt-get :-qy :install :--no-install-recommends missing)
      (catch clojure.lang.ExceptionInfo e
        (throw (ex-info (str "host " node " lacks the packages " (str/join ", " missing)
                             " and they cannot be installed")
                        {:type ::packages, :node node, :packages missing}
                        e))))))

(defn- install-jar!
  "Puts the program in its place, unless it is there. A host that shares this
  machine's files has it already under our own path."
  [{:keys [path]} jars]
  (when-not (jars jar)
    (c/exec :mkdir :-p folder)
    (if (jars path)
      (c/exec :cp :-p path jar)
      (c/upload path jar))))

(defn install!
  "Makes sure that the bound host `node` has `program` and what it needs."
  [program node]
  (let [{:keys [commands jars]} (look-around program [jar (:path program)])]
    (install-packages! node commands)
    (install-jar! program jars)))
