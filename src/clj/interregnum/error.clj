(ns interregnum.error
  "What an exception says about an operation, from one table.

  An error is a map:

    :type       a keyword, such as :dup-key or :timeout
    :definite?  true: the operation certainly had no effect; false: it may have had
    :code       the server's error number, if it sent one
    :message    for people
    :id         of a :dup-key, the id that was taken, if the message has it

  When in doubt, an error is not definite."
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io])
  (:import (java.net ConnectException NoRouteToHostException SocketTimeoutException
                     UnknownHostException)
           (java.sql SQLException)))

(set! *warn-on-reflection* true)

(def server-errors
  "Error number → the node's registry entry, from `resources/errors.edn`."
  (delay
    (into {} (map (juxt :code identity))
          (edn/read-string (slurp (io/resource "errors.edn"))))))

(defn- causes
  "`t` and its causes, outermost first."
  [t]
  (take-while some? (iterate ex-cause t)))

(defn- some-cause?
  [class t]
  (boolean (some #(instance? class %) (causes t))))

(defn- server-code
  "The error number that the server sent, or nil."
  [t]
  (some #(when (instance? SQLException %)
           (let [code (.getErrorCode ^SQLException %)]
             (when (pos? code) code)))
        (causes t)))

(defn- sql-state?
  "Does `t` have an SQL state that begins with `prefix`?"
  [prefix t]
  (some #(when (instance? SQLException %)
           (some-> (.getSQLState ^SQLException %)
                   (.startsWith ^String prefix)))
        (causes t)))

(defn connecting
  "Marks `t` as thrown before a connection stood: nothing was sent."
  [t]
  (ex-info (str "No connection: " (ex-message (last (causes t))))
           {:type :no-connection :definite? true} t))

(defn- own-meaning
  "What `t` says of itself, or nil: an ex-info of ours has :type and :definite?."
  [t]
  (let [data (ex-data t)]
    (when (contains? data :definite?)
      (select-keys data [:type :definite?]))))

(def ^:private rules
  "Predicate of a throwable, and what it means; the first match counts. Anything
  that the server itself answered is looked up in its registry before."
  [[#(or (some-cause? ConnectException %)
         (some-cause? NoRouteToHostException %)
         (some-cause? UnknownHostException %))
    {:type :no-connection :definite? true}]
   [#(sql-state? "08003" %)
    {:type :connection-closed :definite? true}]
   [#(some-cause? SocketTimeoutException %)
    {:type :timeout :definite? false}]
   [#(sql-state? "08" %)
    {:type :connection-lost :definite? false}]])

(defn- by-code
  "The meaning of the server's error `code`; an unknown one is not definite."
  [code]
  (let [entry (@server-errors code)]
    {:type      (:name entry :unknown-code)
     :definite? (:definite? entry false)
     :code      code}))

(defn- taken-id
  "The id that the message of a duplicate-key error names, or nil."
  [message]
  (some->> message (re-find #"Duplicate entry '(-?\d+)'") second parse-long))

(defn classify
  "What `t` says about the operation that threw it."
  [t]
  (let [message (str (ex-message t))
        code    (server-code t)
        meaning (or (own-meaning t)
                    (when code (by-code code))
                    (some (fn [[matches? meaning]] (when (matches? t) meaning))
                          rules)
                    {:type :unknown :definite? false})
        id      (when (= :dup-key (:type meaning)) (taken-id message))]
    (cond-> (assoc meaning :message (first (.split message "\n")))
      id (assoc :id id))))

(defn complete
  "The completion of `op` after `error`: a failure if the error is definite or
  the op's `:f` is among the `idempotent` ones, else in doubt."
  [op error idempotent]
  (assoc op
         :type  (if (or (:definite? error) (contains? idempotent (:f op)))
                  :fail
                  :info)
         :error error))

(defn broken-connection?
  "Is a connection of no use after `error`?"
  [error]
  (contains? #{:timeout :connection-lost :connection-closed :no-connection :unknown
               :shutdown}
             (:type error)))
