(ns interregnum.cli.defects
  "The command `defects`: the catalogue of planted defects."
  (:require [clojure.string :as str]
            [interregnum.cli.trouble :as trouble])
  (:import (interregnum.defect Defect Defects)))

(set! *warn-on-reflection* true)

(defn- entry
  "What there is to know of a defect, as lines."
  [^Defect defect]
  (str (.id defect) "\n"
       "  models   " (.reference defect) "\n"
       "  removes  " (.removes defect) "\n"
       "  in       " (.place defect) "\n"
       "  breaks   " (str/join ", " (.invariants defect))))

(defn run
  "Carries out `defects` with the arguments `args`; the exit code."
  [args]
  (if (empty? args)
    (do (println (str/join "\n\n" (map entry (Defects/all))))
        0)
    (trouble/usage "defects takes no arguments")))
