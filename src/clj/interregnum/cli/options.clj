(ns interregnum.cli.options
  "The options of a test run: Jepsen's own and ours, and what is wrong with them."
  (:require [clojure.string :as str]
            [clojure.tools.cli :as tools]
            [interregnum.checker.ids :as ids]
            [interregnum.names :as names]
            [interregnum.nemesis :as nemesis]
            [interregnum.workload :as workload]
            [jepsen.cli :as cli])
  (:import (interregnum.defect Defects)
           (java.util List)))

(set! *warn-on-reflection* true)

(def default-nodes
  "The nodes of a run that names none."
  "n1,n2,n3")

(def host-kinds
  "Where a test can run."
  ["local" "ssh"])

(defn- positive?
  [n]
  (and (number? n) (pos? n)))

(def ^:private positive [positive? "Must be a positive number"])

(def spec
  "tools.cli options that Jepsen does not have, or with another default."
  [["-w" "--workload NAME"
    (str "What clients do: " (str/join ", " (sort (keys workload/workloads))))
    :default "ids"]
   [nil "--nemesis NAMES"
    (str "Fault families, with commas between: "
         (str/join ", " (sort (keys nemesis/families))) "; all; none")
    :default ["resign"] :default-desc "resign"
    :parse-fn nemesis/parse]
   [nil "--nemesis-interval SECONDS" "About how long between faults of a family"
    :default 4 :parse-fn parse-double :validate positive]
   [nil "--hosts KIND" "Where the nodes run: local (made on this machine) or ssh (they exist)"
    :default "local"]
   [nil "--defect NAMES" "Planted defects of the nodes, with commas between"
    :default [] :default-desc "" :parse-fn names/split]
   ["-r" "--rate HZ" "Operations per second, about"
    :default 100 :parse-fn parse-double :validate positive]
   [nil "--tables COUNT" "How many tables"
    :default 3 :parse-fn parse-long :validate positive]
   [nil "--id-step COUNT" "How many ids an owner reserves at a time"
    :default ids/default-id-step :parse-fn parse-long :validate positive]
   [nil "--lease-secs SECONDS" "How long an owner's lease holds"
    :default 3 :parse-fn parse-long :validate positive]
   [nil "--seed NUMBER" "Repeats the choices of an earlier run"
    :parse-fn parse-long :validate [some? "Must be a whole number"]]
   [nil "--concurrency NUMBER" "How many workers; 8n means eight per node"
    :default "8n"
    :validate [(partial re-find #"^\d+n?$") "Must be an integer, optionally followed by n."]]
   [nil "--time-limit SECONDS" "How long to test, without the final phase"
    :default 30 :parse-fn parse-long :validate positive]
   [nil "--debug" "Show stack traces" :default false]])

(defn- all-specs
  [more]
  (cli/merge-opt-specs cli/test-opt-spec (into spec more)))

(defn- known
  "A sentence if one of `given` is not among `names`, or nil."
  [what given names]
  (when-let [bad (first (remove (set names) given))]
    (str "unknown " what " " bad "; known are: " (str/join ", " (sort names)))))

(defn- defect-problem
  [defects]
  (try (Defects/modes ^List defects)
       nil
       (catch IllegalArgumentException e (ex-message e))))

(defn- problems
  "What is wrong with parsed options, as sentences."
  [{:keys [options arguments errors]}]
  (remove nil?
          (concat errors
                  (map #(str "unexpected argument " %) arguments)
                  [(known "workload" [(:workload options)] (keys workload/workloads))
                   (known "nemesis" (:nemesis options)
                          (concat (keys nemesis/families) ["all" "none"]))
                   (known "kind of hosts" [(:hosts options)] host-kinds)
                   (defect-problem (:defect options))])))

(defn- with-nodes
  "`args` with our nodes if they name none; Jepsen has others."
  [args]
  (if (some #(re-find #"^(-n|--nodes?(-file)?)(=|$)" %) args)
    args
    (concat args ["--nodes" default-nodes])))

(defn- finish
  "Jepsen's own work on parsed options, and a seed."
  [parsed]
  (-> (cli/test-opt-fn parsed)
      (update-in [:options :seed] #(or % (bit-and (System/nanoTime) 0x7fffffff)))))

(defn- checked
  "What `parse` makes of parsed arguments that ask for no help."
  [parsed]
  (let [wrong (problems parsed)]
    (if (seq wrong)
      {:error (first (str/split-lines (first wrong)))}
      (try {:options (:options (finish (dissoc parsed :errors)))}
           (catch java.io.IOException e
             {:error (str "cannot read the nodes file: " (ex-message e))})))))

(defn parse
  "Parses the arguments of a command that runs tests, which may have options of its
  own, `more`, in the form of tools.cli: a map with one of

    :help     what to print
    :error    one line about what is wrong
    :options  the options of the run"
  ([args]
   (parse args []))
  ([args more]
   (let [parsed (tools/parse-opts (with-nodes args) (all-specs more))]
     (if (:help (:options parsed))
       {:help (:summary parsed)}
       (checked parsed)))))
