(ns jepsen.os
  "Operating systems: what a node needs before a database goes on it.")

(set! *warn-on-reflection* true)

(defprotocol OS
  "Prepares the operating system of a node."
  (setup! [os test node]
    "Prepares the node.")
  (teardown! [os test node]
    "Undoes that, as far as it needs to be undone."))

(def noop
  "Leaves nodes as they are."
  (reify OS
    (setup! [_ _test _node])
    (teardown! [_ _test _node])))
