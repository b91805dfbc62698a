(ns interregnum.cli.scenario
  "The command `scenario`: a public bug's own schedule, step by step."
  (:require [clojure.string :as str]
            [interregnum.cli.options :as options]
            [interregnum.cli.trouble :as trouble]
            [interregnum.host :as host]
            [interregnum.scenario :as scenario]
            [interregnum.scenario.run :as run]
            [interregnum.summary :as summary]
            [jepsen.core :as core]))

(set! *warn-on-reflection* true)

(defn- listing
  "All scenarios, for people."
  []
  (str/join "\n\n"
            (for [{:keys [name doc reference defect]} (map scenario/load-scenario
                                                           (scenario/names))]
              (str name "\n  " doc "\n  replays  " reference
                   "\n  exposes  --defect " defect))))

(defn- report!
  [i step]
  (println (format "%3d  %s" (inc i) (pr-str step)))
  (flush))

(defn- run-scenario!
  "Runs `scenario` and prints how it ended; the exit code."
  [scenario args options]
  (println (summary/head options))
  (let [done (core/run! (run/test-map options scenario report!))]
    (println (summary/tail done "scenario" (cons (:name scenario) args)))
    (flush)
    (summary/exit-codes (:valid? (:results done)))))

(defn- parsed-run
  [scenario args]
  (let [{:keys [help error options]} (options/parse args)
        options (assoc options :argv (into ["scenario" (:name scenario)] args))]
    (cond
      help  (do (println "Usage: interregnum scenario NAME [OPTIONS]\n")
                (println help)
                0)
      error (trouble/usage error)
      :else (trouble/guarded
              (:debug options)
              #(host/with-hosts options
                 (fn [options] (run-scenario! scenario args options)))))))

(defn run
  "Carries out `scenario` with the arguments `args`; the exit code. Without any it
  lists the scenarios."
  [[scenario-name & args]]
  (let [scenario (some-> scenario-name scenario/load-scenario)]
    (cond
      (contains? #{nil "--help" "-h"} scenario-name)
      (do (println (listing)) 0)

      (nil? scenario)
      (trouble/usage (str "unknown scenario " scenario-name "; known are: "
                          (str/join ", " (scenario/names))))

      :else (parsed-run scenario args))))
