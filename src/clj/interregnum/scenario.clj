(ns interregnum.scenario
  "Scripted schedules: a bug's own sequence of events, forced step by step on a real
  cluster, so that it is found every time and not by chance.

  A scenario is data, one file each in `resources/scenarios`:

    :name       what the command line calls it
    :doc        what it shows, in a sentence or two
    :reference  the public bug it replays
    :defect     the planted defect that it exposes
    :steps      maps, see `interregnum.scenario.steps`

  It runs on nodes with or without the defect; a step's expectation that is not
  met makes the run invalid, a step that cannot be carried out makes it unknown:
  the schedule could not be forced, so nothing was shown."
  (:refer-clojure :exclude [run!])
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io]
            [interregnum.scenario.steps :as steps]))

(set! *warn-on-reflection* true)

(def ^:private index-resource
  "The file that lists the names of all scenarios."
  "scenarios/index.edn")

(defn names
  "The names of all scenarios, in order."
  []
  (edn/read-string (slurp (io/resource index-resource))))

(defn load-scenario
  "The scenario of that name, or nil if there is none."
  [scenario-name]
  (when (some #{scenario-name} (names))
    (edn/read-string (slurp (io/resource (str "scenarios/" scenario-name ".edn"))))))

(defn- failure
  "What exception `e` of step `i` means for the run."
  [i step e]
  (let [{:keys [type] :as data} (ex-data e)
        violated? (= ::steps/violated type)]
    (merge {:valid? (if violated? false :unknown)
            :step i
            :did step
            :reason (str "step " (inc i) " (" (name (:do step)) "): " (ex-message e))}
           (select-keys data [:expected :found]))))

(defn- run-step!
  "Carries out step `i`; the state after it, with :result if that ends the run."
  [report! state [i step]]
  (report! i step)
  (try
    (steps/carry-out! state step)
    (catch clojure.lang.ExceptionInfo e
      (reduced (assoc state :result (failure i step e))))))

(defn run!
  "Carries out the steps of `scenario` on the nodes of `test`, calling `(report! i
  step)` before each. Always lets go of what it armed. The result:

    :valid?   true, false, or :unknown
    :reason   one sentence
    :step :did :expected :found   of the step that ended it, unless valid"
  [test scenario report!]
  (let [state (steps/initial test)]
    (try
      (let [ended (reduce (partial run-step! report!) state
                          (map-indexed vector (:steps scenario)))]
        (or (:result ended)
            {:valid? true
             :reason (str "all " (count (:steps scenario))
                          " steps went as they should")}))
      (finally
        (steps/let-go! state)))))
