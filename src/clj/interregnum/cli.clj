(ns interregnum.cli
  "The command line: `bin/interregnum COMMAND [OPTIONS]`."
  (:gen-class)
  (:require [interregnum.check :as check]
            [interregnum.cli.analyze :as analyze]
            [interregnum.cli.defects :as defects]
            [interregnum.cli.find-defects :as find-defects]
            [interregnum.cli.hosts :as hosts]
            [interregnum.cli.scenario :as scenario]
            [interregnum.cli.test :as test]
            [interregnum.cli.test-all :as test-all]))

(def commands
  "Name of each command → the function of its arguments that carries it out and returns the exit
  code."
  {"analyze"      analyze/run
   "check"        check/run
   "defects"      defects/run
   "find-defects" find-defects/run
   "hosts"        hosts/run
   "scenario"     scenario/run
   "test"         test/run
   "test-all"     test-all/run})

(defn- usage
  "What the command line takes, as text."
  []
  (str "Usage: interregnum COMMAND [OPTIONS]\n\nCommands:\n"
       (apply str (for [command (sort (keys commands))] (str "  " command "\n")))))

(defn -main
  "Carries out the command that the first argument names and exits with its code: 0 fine, 254 bad
  arguments, 255 trouble."
  [& [command & args]]
  (System/exit
   (if-let [run (commands command)]
     (run args)
     (if (contains? #{nil "--help" "-h"} command)
       (do (println (usage)) 0)
       (do (binding [*out* *err*]
             (println (str "interregnum: unknown command " command)))
           254)))))
