(ns interregnum.checker.stored
  "Histories with known verdicts, in test/resources/histories."
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io]
            [clojure.string :as str])
  (:import (java.io File)))

(set! *warn-on-reflection* true)

(def verdicts
  "The folders, and the `:valid?` of what is in them."
  {"valid" true, "invalid" false, "unknown" :unknown})

(defn histories
  "The histories of `workload` with the verdict of the given folder: what their files
  say, :history and :result at least, and the file's :name."
  [verdict workload]
  (for [^File file (sort (file-seq (io/file "test/resources/histories" verdict workload)))
        :when (str/ends-with? (.getName file) ".edn")]
    (assoc (edn/read-string (slurp file)) :name (.getName file))))
