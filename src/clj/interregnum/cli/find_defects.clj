(ns interregnum.cli.find-defects
  "The command `find-defects`: runs the test that is to find each planted defect, and
  tells which were found, when, and by which checker."
  (:require [interregnum.cli.options :as options]
            [interregnum.cli.trouble :as trouble]
            [interregnum.finds :as finds]
            [interregnum.host :as host]
            [interregnum.names :as names]
            [interregnum.nemesis :as nemesis]
            [interregnum.suite :as suite]
            [interregnum.summary :as summary]
            [jepsen.core :as core]
            [jepsen.random :as rand]))

(set! *warn-on-reflection* true)

(def ^:private spec
  "Options beside those of `test`."
  [[nil "--only DEFECTS" "Look for these alone, with commas between"
    :default [] :default-desc "" :parse-fn names/split]])

(defn- command
  "What repeats a run by hand."
  [flag {:keys [workload nemesis nemesis-interval time-limit]} seed]
  (summary/repeat-command "test"
                          ["--workload" workload "--nemesis" nemesis
                           "--nemesis-interval" (str nemesis-interval)
                           "--time-limit" (str time-limit) "--defect" flag]
                          seed))

(defn- run-once!
  "Runs the test that is to find `flag`; the find."
  [options flag {:keys [workload nemesis nemesis-interval time-limit] :as run} seed]
  (rand/set-seed! seed)
  (let [test (core/run! (suite/test-map (assoc options
                                               :workload   workload
                                               :nemesis    (nemesis/parse nemesis)
                                               :nemesis-interval nemesis-interval
                                               :time-limit time-limit
                                               :defect     [flag]
                                               :seed       seed)))]
    (finds/find-of flag run (:results test) (command flag run seed))))

(defn- look-for!
  "Runs the test for `flag` until it finds the defect, at most `:test-count` times,
  printing each find; was it found?"
  [{:keys [test-count seed] :as options} [flag run]]
  (loop [i 0]
    (let [found (run-once! options flag run (+ seed i))]
      (println (finds/row found))
      (flush)
      (cond (:found? found)        true
            (< (inc i) test-count) (recur (inc i))
            :else                  false))))

(defn- run-all!
  "Looks for the defects that `:only` names, or all; exit code 0 if every one was
  found, else 2: a defect that was not found says nothing about the service."
  [{:keys [only] :as options}]
  (println (summary/head options))
  (println finds/heading)
  (let [wanted (if (seq only) (select-keys finds/runs only) finds/runs)
        found  (mapv #(look-for! options %) wanted)]
    (println)
    (println (count (filter true? found)) "of" (count found) "found")
    (if (every? true? found) 0 2)))

(defn run
  "Carries out `find-defects` with the arguments `args`; the exit code."
  [args]
  (let [{:keys [help error options]} (options/parse args spec)
        options (assoc options :argv (vec (cons "find-defects" args)))
        error   (or error
                    (some #(when-not (finds/runs %)
                             (str "unknown defect " % "; bin/interregnum defects lists them"))
                          (:only options)))]
    (cond
      help  (do (println "Usage: interregnum find-defects [OPTIONS]\n")
                (println help)
                0)
      error (trouble/usage error)
      :else (trouble/guarded (:debug options)
                             #(host/with-hosts options run-all!)))))
