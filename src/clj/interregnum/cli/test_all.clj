(ns interregnum.cli.test-all
  "The command `test-all`: workloads × nemeses, one after the other, on the same
  hosts."
  (:require [interregnum.cli.options :as options]
            [interregnum.cli.trouble :as trouble]
            [interregnum.host :as host]
            [interregnum.matrix :as matrix]
            [interregnum.matrix.junit :as junit]
            [interregnum.matrix.report :as report]
            [interregnum.names :as names]
            [interregnum.nemesis :as nemesis]
            [interregnum.suite :as suite]
            [interregnum.summary :as summary]
            [interregnum.workload :as workload]
            [jepsen.core :as core]
            [jepsen.random :as rand]
            [jepsen.store :as store]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(def ^:private spec
  "Options beside those of `test`."
  [[nil "--only PATTERNS"
    "Run these cells alone, with commas between: workload, workload/nemesis, /nemesis"
    :default [] :default-desc "" :parse-fn names/split]
   [nil "--skip PATTERNS" "Leave these cells out"
    :default [] :default-desc "" :parse-fn names/split]
   [nil "--junit FILE" "Write the outcomes as JUnit XML"]])

(defn- space
  "Every cell there is."
  [{:keys [test-count]}]
  {:workloads (sort (keys workload/workloads))
   :nemeses (concat ["none"] (sort (keys nemesis/families)) ["all"])
   :test-count test-count})

(defn- run-test!
  "Runs the test of a cell; what `interregnum.matrix/run-cell!` wants of it."
  [options {:keys [workload nemesis repeat]}]
  (let [seed (+ repeat (:seed options))]
    (rand/set-seed! seed)
    (let [done (core/run! (suite/test-map (assoc options
                                                 :workload workload
                                                 :nemesis (nemesis/parse nemesis)
                                                 :seed seed)))]
      {:results (:results done)
       :history (:history done)
       :store-path (.getPath (store/path done))})))

(defn- run-cells!
  "Runs `cells`, printing each outcome as it comes; the outcomes."
  [options cells]
  (mapv (fn [cell]
          (let [outcome (matrix/run-cell! #(run-test! options %)
                                          util/linear-time-nanos
                                          cell)]
            (println (report/line outcome))
            (flush)
            outcome))
        cells))

(defn- run-matrix!
  [{:keys [only skip] report-file :junit :as options}]
  (println (summary/head options))
  (let [outcomes (run-cells! options (matrix/cells (assoc (space options)
                                                          :only only :skip skip)))]
    (println)
    (println (report/table outcomes))
    (println (report/summary outcomes))
    (when report-file (junit/write! report-file outcomes))
    (matrix/exit-code outcomes)))

(defn- pattern-problem
  "A sentence if an --only or --skip names nothing, or all is left out; or nil."
  [{:keys [only skip] :as options}]
  (let [space (space options)
        [bad] (matrix/unknown-patterns (concat only skip) (matrix/cells space))]
    (cond
      bad (str "there is no cell " bad)
      (empty? (matrix/cells (assoc space :only only :skip skip)))
      "--only and --skip leave no cell")))

(defn run
  "Carries out `test-all` with the arguments `args`; the exit code."
  [args]
  (let [{:keys [help error options]} (options/parse args spec)
        options (assoc options :argv (vec (cons "test-all" args)))
        error (or error (when options (when-not help (pattern-problem options))))]
    (cond
      help  (do (println "Usage: interregnum test-all [OPTIONS]\n")
                (println help)
                0)
      error (trouble/usage error)
      :else (trouble/guarded (:debug options)
                             #(host/with-hosts options run-matrix!)))))
