(ns interregnum.cli.trouble
  "How commands say that they cannot do what they were asked: one line on standard
  error, and the exit code."
  (:require [clojure.stacktrace :as stacktrace]))

(set! *warn-on-reflection* true)

(defn- complain!
  [message]
  (binding [*out* *err*]
    (println (str "interregnum: " message))
    (flush)))

(defn usage
  "Says what is wrong with the arguments; the exit code for that."
  [message]
  (complain! message)
  254)

(defn- message
  "What an exception says, from its innermost cause, on one line."
  [t]
  (let [cause (last (take-while some? (iterate ex-cause t)))
        text  (or (ex-message cause) (str (class cause)))]
    (first (.split ^String text "\n"))))

(defn guarded
  "Calls `(f)` for an exit code. An exception becomes one line and the code for
  trouble with the environment; its stack trace shows only if `debug?`."
  [debug? f]
  (try (f)
       (catch Throwable t
         (complain! (message t))
         (when debug?
           (binding [*out* *err*] (stacktrace/print-cause-trace t) (flush)))
         (if (= :usage (:type (ex-data t))) 254 255))))
