(ns jepsen.tests
  "A test that does nothing, for others to be built on, and a database in
  memory."
  (:require [jepsen.checker :as checker]
            [jepsen.client :as client]
            [jepsen.control :as control]
            [jepsen.db :as db]
            [jepsen.nemesis :as nemesis]
            [jepsen.net :as net]
            [jepsen.os :as os]))

(set! *warn-on-reflection* true)

(def noop-test
  "A test that does nothing."
  {:nodes     ["n1" "n2" "n3" "n4" "n5"]
   :name      "noop"
   :os        os/noop
   :db        db/noop
   :net       net/iptables
   :remote    control/ssh
   :client    client/noop
   :nemesis   nemesis/noop
   :generator nil
   :checker   (checker/unbridled-optimism)})

(defn atom-db
  "A database that is an atom; reset to 0 by its set-up."
  [state]
  (reify db/DB
    (setup! [_ _test _node] (reset! state 0))
    (teardown! [_ _test _node] (reset! state :done))))

(defn- cas!
  "Whether the atom had the old value and now has the new one."
  [state [old new]]
  (compare-and-set! state old new))

(defrecord AtomClient [state log]
  client/Client
  (open! [this _test _node]
    (swap! log conj :open)
    this)
  (setup! [_ _test]
    (swap! log conj :setup))
  (invoke! [_ _test op]
    (case (:f op)
      :write (do (reset! state (:value op))
                 (assoc op :type :ok))
      :read  (assoc op :type :ok, :value @state)
      :cas   (assoc op :type (if (cas! state (:value op)) :ok :fail))))
  (teardown! [_ _test]
    (swap! log conj :teardown))
  (close! [_ _test]
    (swap! log conj :close)))

(defn atom-client
  "A client that reads, writes and compares-and-sets an atom. Notes in `log`,
  an atom of a collection, what is called besides."
  ([state] (atom-client state (atom [])))
  ([state log] (AtomClient. state log)))
