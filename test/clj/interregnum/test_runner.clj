(ns interregnum.test-runner
  "Runs the Clojure tests: every namespace below test/clj whose name ends in `-test`, or those
  named on the command line.

      clojure.main -m interregnum.test-runner COUNTS-FILE [NAMESPACE...]

  A test passes when all its assertions hold. One that makes no assertion has skipped itself
  (it prints why) and counts as neither. The counts file gets the lines `passed N`, `failed N` and
  `skipped N`; the exit code is 1 when anything failed."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :as t])
  (:import (java.io File)))

(def ^:private test-folder "test/clj")

(defn- test-namespaces
  "The names of all test namespaces below `test-folder`, in order."
  []
  (let [root (.toPath (io/file test-folder))]
    (->> (file-seq (io/file test-folder))
         (map #(str (.relativize root (.toPath ^File %))))
         (filter #(str/ends-with? % "_test.clj"))
         (map #(-> %
                   (str/replace #"\.clj$" "")
                   (str/replace "/" ".")
                   (str/replace "_" "-")
                   symbol))
         sort)))

(defn- outcome
  "What one test came to, given how many assertions of it passed and did not."
  [{:keys [pass bad]}]
  (cond (pos? bad) :failed
        (pos? pass) :passed
        :else :skipped))

(defn- counting
  "Wraps the reporter `report`: the outcome of each test is counted in the atom `counts`, and
  assertions outside a test (fixtures) that do not hold count as a failed test each."
  [report counts]
  (let [current (atom nil)]
    (fn [event]
      (case (:type event)
        :begin-test-var (reset! current {:pass 0, :bad 0})
        :end-test-var (do (swap! counts update (outcome @current) inc)
                          (reset! current nil))
        :pass (swap! current update :pass inc)
        (:fail :error) (if @current
                         (swap! current update :bad inc)
                         (swap! counts update :failed inc))
        nil)
      (when-not (= :begin-test-ns (:type event))
        (report event)))))

(defn- run-namespace!
  "Loads and tests the namespace `ns-name`; a namespace that cannot be loaded, or whose fixture
  throws, is one failed test. Prints a line with its name and how long it took."
  [ns-name counts]
  (let [start (System/nanoTime)]
    (try
      (require ns-name)
      (t/test-ns ns-name)
      (catch Throwable e
        (swap! counts update :failed inc)
        (println "\nERROR in" (str ns-name))
        (.printStackTrace e (java.io.PrintWriter. *out* true))))
    (println (format "%-60s %6.2f s" ns-name (/ (- (System/nanoTime) start) 1e9)))
    (flush)))

(defn- run-namespaces!
  "Tests the namespaces and returns the counts, a map of `:passed`, `:failed` and `:skipped`."
  [ns-names]
  (let [counts (atom {:passed 0, :failed 0, :skipped 0})
        report t/report]
    (binding [t/report (counting report counts)
              t/*report-counters* (ref t/*initial-report-counters*)
              t/*test-out* *out*]
      (run! #(run-namespace! % counts) ns-names))
    @counts))

(defn -main
  "Entry point; see the namespace's description."
  [counts-file & ns-names]
  (let [ns-names (if (seq ns-names) (map symbol ns-names) (test-namespaces))
        {:keys [passed failed skipped] :as counts} (run-namespaces! ns-names)]
    (spit counts-file (str/join (for [[outcome n] counts] (str (name outcome) " " n "\n"))))
    (println (str "Clojure: " passed " passed, " failed " failed, " skipped " skipped"))
    (shutdown-agents)
    (System/exit (if (pos? failed) 1 0))))
