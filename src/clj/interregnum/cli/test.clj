(ns interregnum.cli.test
  "The command `test`: hosts up, one or several runs, hosts down."
  (:require [interregnum.cli.options :as options]
            [interregnum.cli.trouble :as trouble]
            [interregnum.host :as host]
            [interregnum.progress :as progress]
            [interregnum.suite :as suite]
            [interregnum.summary :as summary]
            [jepsen.core :as core]
            [jepsen.random :as rand])
  (:import (java.nio.file Files Path)))

(set! *warn-on-reflection* true)

(defn- terminal?
  "Does standard error go to a terminal?"
  []
  (let [stderr (Path/of "/proc/self/fd/2" (make-array String 0))]
    (boolean (re-find #"^/dev/(pts/|tty|console)"
                      (str (Files/readSymbolicLink stderr))))))

(defn- run-once!
  "Runs one test and prints how it ended; its verdict."
  [options args]
  (println (summary/head options))
  (rand/set-seed! (:seed options))
  (let [test (suite/test-map options)
        done (progress/with-status-line (:progress test) (terminal?)
               #(core/run! test))]
    (println (summary/tail done "test" args))
    (flush)
    (:valid? (:results done))))

(defn- run-all!
  "Runs `:test-count` tests, each with its own seed; stops at the first that is
  not valid. The last verdict."
  [{:keys [test-count seed] :as options} args]
  (loop [i 0]
    (let [verdict (run-once! (assoc options :seed (+ seed i)) args)]
      (if (and (true? verdict) (< (inc i) test-count))
        (recur (inc i))
        verdict))))

(defn run
  "Carries out `test` with the arguments `args`; the exit code."
  [args]
  (let [{:keys [help error options]} (options/parse args)
        options (assoc options :argv (vec (cons "test" args)))]
    (cond
      help  (do (println "Usage: interregnum test [OPTIONS]\n")
                (println help)
                0)
      error (trouble/usage error)
      :else (trouble/guarded
              (:debug options)
              #(host/with-hosts options
                 (fn [options] (summary/exit-codes (run-all! options args))))))))
