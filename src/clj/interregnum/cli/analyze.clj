(ns interregnum.cli.analyze
  "The command `analyze`: checks a stored run again, with the checkers of today."
  (:require [clojure.string :as str]
            [clojure.tools.cli :as tools]
            [interregnum.cli.trouble :as trouble]
            [interregnum.suite :as suite]
            [interregnum.summary :as summary]
            [jepsen.core :as core]
            [jepsen.store :as store]))

(set! *warn-on-reflection* true)

(def ^:private spec
  [["-t" "--test INDEX_OR_PATH"
    "Which run: its folder, or a number counted from the first, from the last if negative"
    :default -1
    :parse-fn #(or (parse-long %) %)]
   [nil "--debug" "Show stack traces" :default false]
   ["-h" "--help" "Print this" :default false]])

(defn- stored
  "The stored run, or an exception with one sentence."
  [which]
  (or (try (store/test which)
           (catch Exception e
             (throw (ex-info (str "cannot read run " which ": " (ex-message e))
                             {:type ::unreadable} e))))
      (throw (ex-info (str "there is no run " which) {:type ::unreadable}))))

(defn- analyze!
  "Checks the run again and prints how it ended; the exit code."
  [which]
  (let [test (stored which)
        done (core/analyze! (merge (suite/test-map test) test))]
    (println (summary/tail done (first (:argv test)) (rest (:argv test))))
    (flush)
    (summary/exit-codes (:valid? (:results done)))))

(defn run
  "Carries out `analyze` with the arguments `args`; the exit code."
  [args]
  (let [{:keys [options arguments errors summary]} (tools/parse-opts args spec)]
    (cond
      (:help options)  (do (println (str "Usage: interregnum analyze [OPTIONS]\n\n" summary)) 0)
      (seq errors)     (trouble/usage (first errors))
      (seq arguments)  (trouble/usage (str "unexpected argument "
                                           (str/join " " arguments)))
      :else            (trouble/guarded (:debug options) #(analyze! (:test options))))))
