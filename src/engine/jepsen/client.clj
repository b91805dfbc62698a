(ns jepsen.client
  "Clients apply operations to the system under test.

  A test map carries one client, a prototype. Each worker opens a copy of it for its node, and
  a new copy for every new process, unless the client is reusable."
  (:require [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(defprotocol Client
  "A connection to the system under test."
  (open! [client test node]
    "Connects to `node` and returns a client ready for `setup!` and `invoke!`. Has no effect on
    the data of the system.")
  (setup! [client test]
    "Prepares the data of the system, such as its tables.")
  (invoke! [client test op]
    "Applies `op` and returns its completion: the same operation of type :ok, :fail (certainly
    did not happen) or :info (may or may not happen).")
  (teardown! [client test]
    "Undoes what `setup!` did.")
  (close! [client test]
    "Closes the connection."))

(defprotocol Reusable
  "An optional ability of clients: to go on with a new process after an operation crashed."
  (reusable? [client test]
    "True if `client` may be used by another process instead of being closed."))

(defn is-reusable?
  "True if `client` has the ability Reusable and says that it is."
  [client test]
  (boolean (and (satisfies? Reusable client)
                (reusable? client test))))

(defn closable?
  "True if `client` can be closed: it is a Client."
  [client]
  (satisfies? Client client))

(def noop
  "A client for which every operation succeeds and nothing happens."
  (reify
    Client
    (open! [this _test _node] this)
    (setup! [_ _test])
    (invoke! [_ _test op] (assoc op :type :ok))
    (teardown! [_ _test])
    (close! [_ _test])

    Reusable
    (reusable? [_ _test] true)))

;;; Wrappers

(defn completion-problems
  "A vector of sentences on what is wrong with `op'` as completion of the operation `op`."
  [op op']
  (cond-> []
    (not (map? op'))                       (conj "should be a map")
    (not (#{:ok :info :fail} (:type op'))) (conj ":type should be :ok, :info, or :fail")
    (not= (:process op) (:process op'))    (conj ":process should be the same")
    (not= (:f op) (:f op'))                (conj ":f should be the same")))

(defn- valid-completion?
  "True if `completion-problems` would find none; the cheap check for every operation."
  [op op']
  (and (map? op')
       (let [type (:type op')]
         (or (identical? :ok type) (identical? :info type) (identical? :fail type)))
       (let [p (:process op), p' (:process op')]
         (or (identical? p p') (= p p')))
       (let [f (:f op), f' (:f op')]
         (or (identical? f f') (= f f')))))

(defrecord Validate [client]
  Client
  (open! [_ test node]
    (let [opened (open! client test node)]
      (when-not (satisfies? Client opened)
        (throw (ex-info (str "client's open! must return a Client, but returned "
                             (pr-str opened))
                        {:type ::open-returned-non-client, :got opened})))
      (Validate. opened)))
  (setup! [_ test]
    (setup! client test))
  (invoke! [_ test op]
    (let [op' (invoke! client test op)]
      (when-not (valid-completion? op op')
        (let [problems (completion-problems op op')]
          (throw (ex-info (str "client returned an invalid completion: " problems)
                          {:type     ::invalid-completion
                           :op       op
                           :op'      op'
                           :problems problems}))))
      op'))
  (teardown! [_ test]
    (teardown! client test))
  (close! [_ test]
    (close! client test))

  Reusable
  (reusable? [_ test]
    (is-reusable? client test)))

(defn validate
  "Wraps `client` so that what its `open!` and `invoke!` return is checked. A violation throws
  an ex-info of type ::open-returned-non-client or ::invalid-completion (with :problems)."
  [client]
  (Validate. client))

(defrecord Timeout [timeout-fn client]
  Client
  (open! [_ test node]
    (Timeout. timeout-fn (open! client test node)))
  (setup! [_ test]
    (setup! client test))
  (invoke! [_ test op]
    (util/timeout (timeout-fn op) (assoc op :type :info, :error ::timeout)
                  (invoke! client test op)))
  (teardown! [_ test]
    (teardown! client test))
  (close! [_ test]
    (close! client test))

  Reusable
  (reusable? [_ test]
    (is-reusable? client test)))

(defn timeout
  "Wraps `client` so that an operation that takes longer than `ms`, a number of milliseconds or a
  function of the operation to one, completes as :info with :error ::timeout."
  [ms client]
  (Timeout. (if (number? ms) (constantly ms) ms) client))

(defn with-client*
  "Calls `f` with `client` and then closes it, if it can be closed."
  [client f]
  (try (f client)
       (finally (when (closable? client)
                  (close! client {})))))

(defmacro with-client
  "Binds `sym` to the client that `expr` yields, evaluates `body`, and closes the client.

    (with-client [c (open! client test node)] (invoke! c test op))"
  [[sym expr] & body]
  `(with-client* ~expr (fn [~sym] ~@body)))
