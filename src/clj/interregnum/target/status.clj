(ns interregnum.target.status
  "A client of the status API that nodes serve over HTTP.

  Every call is bounded: a node that does not answer within a second counts as
  unreachable, and the call returns nil. `address` is a host, whose port is 10080,
  or \"host:port\"."
  (:require [clojure.data.json :as json]
            [clojure.string :as str])
  (:import (java.io IOException)
           (java.net URI URLEncoder)
           (java.net.http HttpClient HttpClient$Version HttpRequest
                          HttpRequest$BodyPublisher HttpRequest$BodyPublishers HttpResponse
                          HttpResponse$BodyHandlers)
           (java.nio.charset StandardCharsets)
           (java.time Duration)))

(def default-port
  "The port of the status API."
  10080)

(def ^:private timeout (Duration/ofMillis 1000))

(def ^:private http
  (delay (-> (HttpClient/newBuilder)
             (.version HttpClient$Version/HTTP_1_1)
             (.connectTimeout timeout)
             (.build))))

(defn- uri
  [address path]
  (URI/create (str "http://" address
                   (when-not (str/includes? address ":") (str ":" default-port))
                   path)))

(defn- request!
  "Sends a request; a map of :status and :body, or nil if no answer came in time."
  [method address path ^String body]
  (let [publisher (if body
                    (HttpRequest$BodyPublishers/ofString body)
                    (HttpRequest$BodyPublishers/noBody))
        request (-> (HttpRequest/newBuilder (uri address path))
                    (.timeout timeout)
                    (.method method ^HttpRequest$BodyPublisher publisher)
                    (.build))]
    (try
      (let [^HttpResponse response (.send ^HttpClient @http request
                                          (HttpResponse$BodyHandlers/ofString))]
        {:status (.statusCode response), :body (.body response)})
      (catch IOException _ nil))))

(defn- parse
  "The JSON in `body` with keywords for keys, or nil if it is none."
  [body]
  (try (json/read-str body :key-fn keyword)
       (catch Exception _ nil)))

(defn- fetch
  "What `path` answers, or nil if it answers nothing good."
  [address path]
  (let [{:keys [status body]} (request! "GET" address path nil)]
    (when (= 200 status)
      (parse body))))

(defn status
  "The node's {:version :connections :uptimeMs}, or nil."
  [address]
  (fetch address "/status"))

(defn info
  "What the node says about itself, {:id :advertise :ddlOwner :autoidLeader :terms
  :defects :version}, or nil."
  [address]
  (fetch address "/info"))

(def ^:private claim-keys
  "Role → the key of a node's claim to it in its info."
  {:autoid :autoidLeader
   :ddl    :ddlOwner})

(def roles
  "The roles that nodes are elected to."
  (vec (sort (keys claim-keys))))

(defn claims?
  "Does a node say of itself, in its `info`, that it owns `role`?"
  [info role]
  (boolean (get info (claim-keys role))))

(defn info-all
  "What the node knows of all, {:servers [...] :ddl {...} :autoid {...}}, or nil."
  [address]
  (fetch address "/info/all"))

(defn autoid-leader
  "Who leads the id service as the node sees it, {:id :address :term}; nil if there
  is none or the node cannot tell."
  [address]
  (fetch address "/autoid/leader"))

(defn schema
  "What the node knows of the schema, {:version :stateHash :serving :emptyVersions
  :tables}, or nil."
  [address]
  (fetch address "/schema"))

(defn ddl-history
  "The last schema changes that have ended, newest first, as the node reads them in
  the store, or nil."
  [address]
  (fetch address "/ddl/history"))

(defn ddl
  "What the store holds of schema changes by this node's reading, {:diffs :history
  :jobs :mdl}; a part that it could not read is nil."
  [address]
  {:diffs (:diffs (fetch address "/ddl/diffs"))
   :history (ddl-history address)
   :jobs (fetch address "/ddl/jobs")
   :mdl (fetch address "/ddl/mdl")})

(defn autoid-table
  "The range that the node serves for a table, {:base :end :term}, or nil."
  [address table-id]
  (fetch address (str "/autoid/table/" table-id)))

(defn owner
  "Who owns `role`, :autoid or :ddl, as the node sees it, {:id :term}; nil if there
  is none or the node cannot tell."
  [address role]
  (let [{:keys [term] :as owner} (get (info-all address) role)]
    (when term owner)))

(def ^:private resign-paths
  {:autoid "/autoid/leader/resign"
   :ddl "/ddl/owner/resign"})

(defn resign!
  "Makes the node resign as owner of `role`, :autoid or :ddl: true if it did, false
  if it was not the owner, nil if nobody knows."
  [address role]
  (let [{:keys [status body]} (request! "POST" address (resign-paths role) nil)]
    (when (and status (< status 500))
      (str/starts-with? body "success"))))

(defn resign-autoid!
  "Makes the node resign as leader of the id service, see `resign!`."
  [address]
  (resign! address :autoid))

(defn- failpoint-path
  [failpoint]
  (str "/failpoint/" (URLEncoder/encode ^String (name failpoint) StandardCharsets/UTF_8)))

(defn- accepted
  "The answer to a change of a failpoint: true, or nil if none came. Throws if the
  node refused it, since then the failpoint or its term is wrong."
  [{:keys [status body]} failpoint]
  (when status
    (when (<= 400 status)
      (throw (ex-info (str "failpoint " (name failpoint) " refused: "
                           (:message (parse body) body))
                      {:type ::refused, :status status})))
    true))

(defn arm-failpoint!
  "Arms a failpoint with a term such as \"pause\" or \"3*sleep(100)\": true, or nil if
  the node did not answer."
  [address failpoint term]
  (accepted (request! "PUT" address (failpoint-path failpoint) term) failpoint))

(defn disarm-failpoint!
  "Disarms a failpoint and lets go what waits at it: true, or nil if the node did
  not answer."
  [address failpoint]
  (accepted (request! "DELETE" address (failpoint-path failpoint) nil) failpoint))

(defn failpoint
  "The state of a failpoint, or nil."
  [address failpoint]
  (fetch address (failpoint-path failpoint)))

(defn failpoints
  "The states of the failpoints that are armed on the node, {:name :term :hits ...}, or
  nil if it does not answer."
  [address]
  (fetch address "/failpoint"))
