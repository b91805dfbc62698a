(ns jepsen.control.net
  "Addresses of nodes, as nodes and this machine see them."
  (:require [clojure.string :as str]
            [jepsen.control :as c]
            [jepsen.util :as util])
  (:import (java.net InetAddress UnknownHostException)))

(set! *warn-on-reflection* true)

(def ^:private lookup-timeout-ms
  "A name server that does not answer must not hold up a partition."
  2000)

(defn reachable?
  "Whether the bound node gets an answer to a ping from another."
  [node]
  (try (c/exec :ping :-w 1 node)
       true
       (catch clojure.lang.ExceptionInfo e
         (if (= ::c/nonzero-exit (:type (ex-data e)))
           false
           (throw e)))))

(defn local-ip
  "The first address of the bound node."
  []
  (first (str/split (c/exec :hostname :-I) #"\s+")))

(defn- getent-ip
  "A host's address as the bound node knows it."
  [host]
  (let [line (first (str/split-lines (c/exec :getent :ahostsv4 host)))
        ip   (first (str/split (str line) #"\s+"))]
    (cond
      (str/blank? ip)
      (throw (ex-info (str c/*host* " has no address for " host)
                      {:type :blank-getent-ip, :host host}))
      (str/starts-with? ip "127.") (local-ip)
      :else ip)))

(defn- resolved-ip
  "A host's address as this machine knows it, or nil."
  [host]
  (util/timeout lookup-timeout-ms nil
                (try
                  (.getHostAddress (InetAddress/getByName host))
                  (catch UnknownHostException _ nil))))

(defn- ip-literal?
  [host]
  (or (re-matches #"\d+\.\d+\.\d+\.\d+" host)
      (str/includes? host ":")))

(defn ip*
  "The address of a host: as this machine knows it, else as the bound node
  does."
  [host]
  (cond
    (ip-literal? host) host
    :else (or (resolved-ip host)
              (getent-ip host))))

(def ^:private ip-cache (atom {}))

(defn ip
  "The address of a host, looked up once."
  [host]
  (or (get @ip-cache host)
      (let [address (ip* host)]
        (swap! ip-cache assoc host address)
        address)))

(defn control-ip
  "The address of this machine, as the bound node sees it."
  []
  (let [client (c/exec* "echo $SSH_CLIENT")]
    (or (re-find #"^\S+" client)
        (throw (ex-info (str c/*host* " does not tell who is connected")
                        {:type ::no-ssh-client, :host c/*host*})))))
