(ns interregnum.check
  "The command `check`: are the histories in some files linearizable?"
  (:import (interregnum.check.command CheckCommand)))

(set! *warn-on-reflection* true)

(defn run
  "Checks the files that `args` name, see `check --help`, and returns the exit code: 0 if all are
  linearizable, 1 if one is not, 2 if one is undecided, 254 for bad arguments, 255 if a file cannot
  be read as a history."
  [args]
  (CheckCommand/run (into-array String args)))
