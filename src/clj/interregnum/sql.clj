(ns interregnum.sql
  "Connections to a node's SQL port through Connector/J: bounded in time, and with
  as few extra round trips as the driver allows."
  (:import (com.mysql.cj.jdbc Driver)
           (java.sql Connection DriverManager ResultSet SQLException Statement)
           (java.util Properties)
           (java.util.concurrent Executor)))

(set! *warn-on-reflection* true)

(def default-port
  "The SQL port of a node."
  4000)

(def ^:private settings
  "Driver settings of every connection."
  {"user"                    "root"
   "password"                ""
   "sslMode"                 "DISABLED"
   "allowPublicKeyRetrieval" "true"
   "characterEncoding"       "UTF-8"
   "cacheServerConfiguration" "true"
   "connectionAttributes"    "none"
   "maintainTimeStats"       "false"
   "useLocalSessionState"    "true"
   "tcpKeepAlive"            "true"})

(def ^:private login-timeout-secs 3)

(defonce ^:private driver
  (delay
    ;; Its thread would look for leaked connections; every one here is closed.
    (System/setProperty "com.mysql.cj.disableAbandonedConnectionCleanup" "true")
    (DriverManager/setLoginTimeout login-timeout-secs)
    (Driver.)))

(defn connect!
  "Opens a connection to `address`. Options, with defaults:

    :port                4000
    :database            \"test\"
    :connect-timeout-ms  1000
    :socket-timeout-ms   8000, how long an answer may take"
  ^Connection [address {:keys [port database connect-timeout-ms socket-timeout-ms]
                        :or   {port               default-port
                               database           "test"
                               connect-timeout-ms 1000
                               socket-timeout-ms  8000}}]
  (let [properties (Properties.)]
    (doseq [[k v] (assoc settings
                         "connectTimeout" (str connect-timeout-ms)
                         "socketTimeout" (str socket-timeout-ms))]
      (.setProperty properties k v))
    (.connect ^Driver @driver
              (str "jdbc:mysql://" address ":" port "/" database)
              properties)))

(def ^:private same-thread
  (reify Executor
    (execute [_ task] (.run task))))

(defn close!
  "Closes a connection at once, whatever state it is in."
  [^Connection connection]
  (when connection
    (try (.abort connection same-thread)
         (catch SQLException _ nil))))

(defn- rows
  "The rows of `results`, as vectors of their columns."
  [^ResultSet results]
  (let [columns (range 1 (inc (.getColumnCount (.getMetaData results))))]
    (loop [found (transient [])]
      (if (.next results)
        (recur (conj! found (mapv #(.getObject results (int %)) columns)))
        (persistent! found)))))

(defn query!
  "Runs a query; its rows as vectors of columns."
  [^Connection connection ^String statement]
  (with-open [s (.createStatement connection)]
    (rows (.executeQuery s statement))))

(defn query-maps!
  "Runs a query, or another statement that returns rows; those as maps of upper-case
  column label → value."
  [^Connection connection ^String statement]
  (with-open [s (.createStatement connection)]
    (.execute s statement)
    (let [results (.getResultSet s)
          labels  (let [m (.getMetaData results)]
                    (mapv #(.toUpperCase (.getColumnLabel m (int %)))
                          (range 1 (inc (.getColumnCount m)))))]
      (mapv #(zipmap labels %) (rows results)))))

(defn execute!
  "Runs a statement that returns no rows."
  [^Connection connection ^String statement]
  (with-open [s (.createStatement connection)]
    (.executeUpdate s statement)))

(defn insert!
  "Runs an insert; the ids that the server generated for its rows, in order."
  [^Connection connection ^String statement]
  (with-open [s (.createStatement connection)]
    (.executeUpdate s statement Statement/RETURN_GENERATED_KEYS)
    (mapv #(long (first %)) (rows (.getGeneratedKeys s)))))
