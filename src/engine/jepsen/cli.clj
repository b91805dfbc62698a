(ns jepsen.cli
  "Command lines for tests.

  A command is a map of

    :opt-spec  options, as for tools.cli
    :opt-fn    transforms what was parsed
    :usage     help text
    :run       carries it out

  Exit status: 0 all valid, 1 some invalid, 2 some unknown, 254 bad
  arguments, 255 trouble."
  (:refer-clojure :exclude [run!])
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.tools.cli :as cli]
            [clojure.tools.logging :refer [info warn]]
            [jepsen.checker :as checker]
            [jepsen.cli.opts :as opts]
            [jepsen.core :as core]
            [jepsen.print :as print]
            [jepsen.store :as store]
            [jepsen.store.logging :as logging]
            [jepsen.vars :as vars :refer [import-vars]])
  (:import (java.io PrintWriter StringWriter)))

(set! *warn-on-reflection* true)

(import-vars opts
             default-nodes one-of repeated-opt help-opt test-opt-spec
             package-opt tarball-opt without-default without-defaults-for
             merge-opt-specs parse-concurrency parse-nodes rename-keys
             rename-options rename-ssh-options test-opt-fn validate-tarball)

(def ^:private exit-ok 0)
(def ^:private exit-invalid 1)
(def ^:private exit-unknown 2)
(def ^:private exit-usage 254)
(def ^:private exit-trouble 255)

(defn test-usage
  "Help text of a command that runs tests."
  []
  (str "Runs a Jepsen test and exits with a status code:\n\n"
       "  0     All tests passed\n"
       "  1     Some test failed\n"
       "  2     Some test had an unknown validity\n"
       "  254   Invalid arguments\n"
       "  255   Internal Jepsen error\n\n"
       "Test options:\n"))

(defn- exit!
  "Leaves the command with a status."
  [status]
  (throw (ex-info (str "exit " status) {:type ::exit, :status status})))

;;; Commands

(defn- print-parsed
  "What a command without :run does."
  [{:keys [options arguments errors summary]}]
  (println "Arguments:")
  (print/pprint arguments)
  (println "\nOptions:")
  (print/pprint options)
  (println "\nErrors:")
  (print/pprint errors)
  (println "\nSummary:")
  (println summary))

(defn- print-commands
  [subcommands]
  (println "Usage: lein run -- COMMAND [OPTIONS ...]")
  (println "Commands:" (str/join ", " (sort (keys subcommands)))))

(defn- stack-trace
  [^Throwable t]
  (let [w (StringWriter.)]
    (.printStackTrace t (PrintWriter. w))
    (str w)))

(defn- run-command!
  [{:keys [opt-spec opt-fn usage run]} argv]
  (let [parsed ((or opt-fn identity)
                (-> (cli/parse-opts (rest argv) opt-spec)
                    (update :options assoc :argv (vec argv))))]
    (cond
      (:help (:options parsed))
      (do (println (or usage (test-usage)))
          (println)
          (println (:summary parsed))
          exit-ok)

      (seq (:errors parsed))
      (do (doseq [e (:errors parsed)] (println e))
          exit-usage)

      :else
      (do ((or run print-parsed) parsed)
          exit-ok))))

(defn exit-status
  "Runs the command that the arguments name; returns the status to exit
  with."
  [subcommands argv]
  (assert (not-any? subcommands ["help" "--help"])
          "Commands cannot be called help")
  (logging/start-console!)
  (try
    (if-let [command (get subcommands (first argv))]
      (run-command! command argv)
      (do (print-commands subcommands)
          exit-usage))
    (catch Throwable t
      (or (when (= ::exit (:type (ex-data t)))
            (:status (ex-data t)))
          (do (warn (str "Oh jeez, I'm sorry, Jepsen broke. Here's why:\n"
                         (stack-trace t)))
              exit-trouble)))))

(defn run!
  "Runs the command that the arguments name, from a map of names to
  commands, and exits."
  [subcommands argv]
  (let [status (exit-status subcommands argv)]
    (flush)
    (System/exit status)))

;;; test and analyze

(defn- exit-with-validity!
  "Leaves the command unless the test is valid."
  [test]
  (case (:valid? (:results test))
    false    (exit! exit-invalid)
    :unknown (exit! exit-unknown)
    nil))

(defn- run-tests!
  "Runs a test as often as wanted; leaves at the first that is not valid."
  [test-fn {:keys [options]}]
  (info (str "Test options:\n" (print/pprint-str options)))
  (dotimes [_ (:test-count options)]
    (exit-with-validity! (core/run! (test-fn options)))))

(defn- stored-options
  "The options that a stored test was run with, parsed again."
  [opt-spec opt-fn argv]
  (when-not (#{"test" "test-all"} (first argv))
    (throw (ex-info (str "The stored test was not run by test or test-all: "
                         (pr-str argv))
                    {:type ::not-a-test, :argv argv})))
  (-> (cli/parse-opts (rest argv) opt-spec)
      (update :options assoc :argv argv)
      opt-fn
      :options))

(defn- analyze!
  "Checks a stored test again, with the checker of today."
  [{:keys [test-fn opt-spec opt-fn]} {:keys [options]}]
  (let [stored (store/test (:test options))
        fresh  (test-fn (stored-options opt-spec opt-fn (:argv stored)))
        test   (merge fresh stored)]
    (exit-with-validity! (core/with-logging test
                           (-> test core/analyze! core/log-results)))))

(defn- parse-which
  "A number of a stored test, or its folder."
  [s]
  (or (parse-long s) s))

(def ^:private analyze-opt-spec
  [opts/help-opt
   ["-t" "--test INDEX_OR_PATH"
    "Number of a stored test (-1 is the latest), or its folder"
    :default  -1
    :parse-fn parse-which]])

(defn- full-opt-fn
  "The function that is applied to what was parsed for a test."
  [{:keys [opt-fn opt-fn* tarball]}]
  (or opt-fn*
      (cond->> test-opt-fn
        tarball (comp validate-tarball)
        opt-fn  (comp opt-fn))))

(defn- full-opt-spec
  [{:keys [opt-spec tarball]}]
  (merge-opt-specs (cond-> test-opt-spec
                     tarball (conj (opts/test-tarball-opt tarball)))
                   opt-spec))

(defn single-test-cmd
  "The commands test, which runs a test, and analyze, which checks a stored
  one. Options:

    :test-fn   function of options to a test
    :opt-spec  options besides the built-in ones
    :opt-fn    transforms what was parsed, after `test-opt-fn`
    :opt-fn*   replaces all of that
    :tarball   default URL for an option --tarball
    :usage     help text"
  [{:keys [test-fn usage] :as opts}]
  (let [opt-spec (full-opt-spec opts)
        opt-fn   (full-opt-fn opts)]
    {"test"    {:opt-spec opt-spec
                :opt-fn   opt-fn
                :usage    usage
                :run      (partial run-tests! test-fn)}
     "analyze" {:opt-spec analyze-opt-spec
                :usage    "Checks a stored test again."
                :run      (partial analyze! {:test-fn  test-fn
                                             :opt-spec opt-spec
                                             :opt-fn   opt-fn})}}))

;;; test-all

(defn- run-one-of-many!
  "Runs a test; returns [outcome path], where the outcome is a verdict or
  :crashed."
  [test]
  (let [test (core/prepare-test test)
        path (fn [] (.getPath (io/file (store/path test))))]
    (try
      (let [test' (core/run! test)]
        [(:valid? (:results test')) (path)])
      (catch Exception e
        (warn e "Test crashed:" (ex-message e))
        [:crashed (try (path)
                       (catch Exception _ (str (:name test))))]))))

(defn test-all-run-tests!
  "Runs tests one after the other. Returns a map of outcome (true, false,
  :unknown, :crashed) to paths of stored tests."
  [tests]
  (reduce (fn [results test]
            (let [[outcome path] (run-one-of-many! test)]
              (update results outcome (fnil conj []) path)))
          {}
          tests))

(defn test-all-print-summary!
  "Prints which test came out how. Returns the results."
  [results]
  (println "\n")
  (doseq [[outcome heading] [[true     "# Successful tests"]
                             [:unknown "# Indeterminate tests"]
                             [:crashed "# Crashed tests"]
                             [false    "# Failed tests"]]
          :when (seq (results outcome))]
    (println (str "\n" heading "\n"))
    (doseq [path (results outcome)] (println path)))
  (println)
  (println (count (results true)) "successes")
  (println (count (results :unknown)) "unknown")
  (println (count (results :crashed)) "crashed")
  (println (count (results false)) "failures")
  results)

(defn test-all-exit!
  "Leaves the command with the status for a map of results."
  [results]
  (exit! (cond
           (seq (:crashed results)) exit-trouble
           (seq (:unknown results)) exit-unknown
           (seq (get results false)) exit-invalid
           :else exit-ok)))

(defn test-all-cmd
  "The command test-all, which runs many tests. Options as in
  `single-test-cmd`, with

    :tests-fn  function of options to a sequence of tests"
  [{:keys [tests-fn usage] :as opts}]
  {"test-all" {:opt-spec (full-opt-spec (dissoc opts :tarball))
               :opt-fn   (full-opt-fn (dissoc opts :tarball))
               :usage    (or usage "Runs all tests.")
               :run      (fn [{:keys [options]}]
                           (info (str "Test options:\n"
                                      (print/pprint-str options)))
                           (-> (tests-fn options)
                               test-all-run-tests!
                               test-all-print-summary!
                               test-all-exit!))}})

;;; serve

(defn- serve!
  "Starts the web page and waits for ever."
  [{:keys [options]}]
  ((vars/late 'jepsen.web/serve!) options)
  (info (str "Listening on http://" (:ip options) ":" (:port options) "/"))
  @(promise))

(defn serve-cmd
  "The command serve, which shows stored tests as a web page."
  []
  {"serve" {:opt-spec [opts/help-opt
                       ["-b" "--host HOST" "Address to listen on"
                        :default "0.0.0.0"]
                       ["-p" "--port NUMBER" "Port to listen on"
                        :default  8080
                        :parse-fn #(Long/parseLong %)
                        :validate [pos? "Must be positive"]]]
            :opt-fn   #(rename-options % {:host :ip})
            :usage    "Shows stored tests as a web page."
            :run      serve!}})

(defn -main
  "Shows stored tests."
  [& args]
  (run! (serve-cmd) args))
