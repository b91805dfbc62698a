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
  "The program's file in `folder`."
  "nodes.jar")

(def archive
  "The file in `folder` with the classes that the program loads first, which makes it
  start faster. Java takes it only together with the very jar it was made of, and
  does without it otherwise."
  "nodes.jsa")

(def ^:private packages
  "What the program needs on a host: command → the Debian package that has it."
  {"etcd" "etcd-server", "java" "default-jre-headless"})

(defn- built
  "A file that this checkout's build made."
  ^File [file-name]
  (.getCanonicalFile (io/file (host/home) "target" ^String file-name)))

(defn- sha256
  [^File file]
  (.formatHex (HexFormat/of)
              (.digest (MessageDigest/getInstance "SHA-256") (Files/readAllBytes (.toPath file)))))

(defn program
  "The program to install, as files with :path, :name, :sha256 and :modified, in
  seconds since 1970."
  []
  (when-not (.exists (built jar))
    (throw (ex-info (str (built jar) " is missing; bin/interregnum builds it")
                    {:type ::not-built})))
  (vec (for [file-name [jar archive]
             :let [file (built file-name)]
             :when (.exists file)]
         {:path     (.getPath file)
          :name     file-name
          :sha256   (sha256 file)
          :modified (quot (.lastModified file) 1000)})))

(defn- installed-path
  [file]
  (str folder "/" (:name file)))

(defn- look-around
  "What the bound host has: the `:commands` found, and the `:files`, as a map of
  path → SHA-256, among those of `program` in their place or under our own path."
  [program]
  (let [paths (mapcat (juxt :path installed-path) program)
        lines (str/split-lines
               (c/exec* "command -v" (str/join " " (keys packages)) ";"
                        "sha256sum" (str/join " " (map c/escape paths)) "2>/dev/null; true"))]
    {:commands (set (keep #(second (re-find #"^/.*/(\w+)$" %)) lines))
     :files    (into {}
                     (keep #(when-let [[_ hash path] (re-find #"^([0-9a-f]{64}) [ *](.*)$" %)]
                              [path hash]))
                     lines)}))

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

(defn- install-file!
  "Puts a file in its place, unless it is there. A host that shares this machine's
  files has it already under our own path. The time of the last change goes with
  it: Java looks at it."
  [{:keys [path sha256 modified] :as file} found]
  (let [target (installed-path file)]
    (when-not (= sha256 (found target))
      (if (= sha256 (found path))
        (c/exec :cp path target)
        (c/upload path target))
      (c/exec :touch :-d (str "@" modified) target))))

(defn install!
  "Makes sure that the bound host `node` has `program` and what it needs."
  [program node]
  (let [{:keys [commands files]} (look-around program)]
    (install-packages! node commands)
    (c/exec :mkdir :-p folder)
    (run! #(install-file! % files) program)))
