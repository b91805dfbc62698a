(ns interregnum.cli.hosts
  "The command `hosts`: local hosts to work on by hand."
  (:require [interregnum.host.local :as local]
            [interregnum.names :as names]))

(def ^:private usage
  "Usage: interregnum hosts up [--nodes n1,n2,n3] | down | status

  up      makes hosts on this machine that stay until `hosts down`
  down    removes them, and whatever a killed run has left behind
  status  lists all that exist: set, name, address, who uses them

Each host has an SSH server. To log in, or to run a test on them:

  ssh -i %s root@ADDRESS
  interregnum test --hosts ssh --nodes ADDRESS,... --ssh-private-key %s")

(defn- complain
  "Says what is wrong with the arguments; the exit code for that."
  [message]
  (binding [*out* *err*]
    (println (str "interregnum: " message)))
  254)

(defn- node-names
  "The names that the arguments of `up` give, or nil if they cannot be understood."
  [args]
  (case (count args)
    0 ["n1" "n2" "n3"]
    2 (when (= "--nodes" (first args))
        (names/split (second args)))
    nil))

(defn run
  "Carries out `hosts` with the arguments `args`; the exit code."
  [[action & args]]
  (let [nodes (node-names args)]
    (cond
      (contains? #{"--help" "-h"} action)
      (let [key (:private-key-path local/ssh)]
        (println (format usage key key))
        0)

      (and (= "up" action) nodes)
      (local/provision! (into ["up"] nodes))

      (and (contains? #{"down" "status"} action) (empty? args))
      (local/provision! [action])

      :else
      (complain "hosts takes up [--nodes n1,n2,n3], down or status"))))
