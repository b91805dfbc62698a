(ns jepsen.vectors-test
  "Golden vectors of the parts of the engine that meet the world: whole runs,
  command lines, grudges and checkers."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is]]
            [clojure.tools.cli :as cli]
            [interregnum.golden :as golden]
            [jepsen.checker :as checker]
            [jepsen.cli :as jepsen.cli]
            [jepsen.history :as h]
            [jepsen.independent :as independent]
            [jepsen.random :as rand]
            [jepsen.store :as store]
            [jepsen.store.logging :as logging]
            [jepsen.temporary :as temporary])
  (:import (ch.qos.logback.classic Logger)
           (ch.qos.logback.classic.spi ILoggingEvent)
           (ch.qos.logback.core AppenderBase)
           (org.slf4j LoggerFactory)))

(set! *warn-on-reflection* true)

(defn- with-temporary-store
  "Calls `(f dir)` while tests are stored in a folder that is removed
  afterwards."
  [f]
  (temporary/with-dir [dir]
    (with-redefs [store/base-dir (str dir)]
      (f dir))))

(defn- outcome
  "What evaluating a case came to: `{:expect value}` or `{:throws
  description}`."
  [f]
  (try
    {:expect (golden/canonical (f))}
    (catch Throwable t
      {:throws (golden/thrown t)})))

(defn- plain-multisets
  "Multisets of the vectors as the engine has them: maps of value to count."
  [x]
  (cond
    (and (map? x) (= [:multiset] (keys x))) (:multiset x)
    (map? x)    (update-vals x plain-multisets)
    (vector? x) (mapv plain-multisets x)
    :else       x))

(defn- supported
  "The cases that need no namespace that does not exist."
  [code-keys cases]
  (remove (fn [c]
            (seq (golden/missing-namespaces
                  (str/join " " (map c code-keys)))))
          cases))

(defn- check-case
  [{:keys [id doc] :as c} got]
  (let [expected (plain-multisets (select-keys c [:expect :throws]))]
    (is (or (golden/same-outcome? expected got)
            (golden/close-to? expected got))
        (str id " (" doc "):\nexpected " (pr-str expected)
             "\ngot      " (pr-str got)))))

;;; Runs

(def ^:private lifecycle-helpers
  "What the code of whole runs is written with."
  "(do
     (defn client*
       ([log] (client* log {}))
       ([log {:keys [open invoke]}]
        (let [opens (atom 0)
              note  (fn [& xs] (swap! log conj (vec xs)))]
          (letfn [(of-node [node]
                    (reify client/Client
                      (open! [_ _ node]
                        (let [n (swap! opens inc)]
                          (note :open node)
                          (when open (open n node))
                          (of-node node)))
                      (setup! [_ _] (note :setup node))
                      (invoke! [this test op]
                        (note :invoke node (:process op) (:f op))
                        (if invoke
                          (invoke this test op)
                          (assoc op :type :ok)))
                      (teardown! [_ _] (note :teardown node))
                      (close! [_ _] (note :close node))))]
            (of-node nil)))))
     (defn base-test [m]
       (merge tests/noop-test
              {:name \"golden-lc\" :ssh {:dummy? true} :nodes [\"n1\"]
               :concurrency 1}
              m))
     (defn short-op [op] ((juxt :process :type :f :value) op))
     (def run core/run!))")

(deftest golden-lifecycle-test
  (golden/eval-string lifecycle-helpers)
  (with-temporary-store
    (fn [_]
      (doseq [c (supported [:code] (golden/load-vectors "lifecycle.edn"))]
        (check-case c (outcome #((golden/eval-string
                                  (str "(fn [log] " (:code c) ")"))
                                 (atom []))))))))

;;; Command lines

(defn- parse
  [{:keys [spec argv]}]
  (let [{:keys [opt-spec opt-fn]} (get (golden/eval-string spec)
                                       (first argv))]
    (-> (cli/parse-opts (rest argv) opt-spec)
        (update :options assoc :argv argv)
        ((or opt-fn identity))
        (select-keys [:options :arguments :errors]))))

(defn- logged-lines
  "Calls `(f)`; returns the lines that were logged meanwhile."
  [f]
  (logging/start-console!)
  (let [^Logger root (LoggerFactory/getLogger Logger/ROOT_LOGGER_NAME)
        lines    (atom [])
        appender (doto (proxy [AppenderBase] []
                         (append [e]
                           (swap! lines into
                                  (str/split-lines
                                   (.getFormattedMessage ^ILoggingEvent e)))))
                   (.start))]
    (.addAppender root appender)
    (try
      (f)
      (finally
        (.detachAppender root appender)))
    @lines))

(def ^:private notable
  (re-pattern
   (str "Everything looks good|Analysis invalid|Errors occurred during "
        "analysis|successes|failures|^\\d+ unknown|^\\d+ crashed|^# |^Usage|"
        "^Commands|Must be|Unknown option|Oh jeez|^My usage")))

(defn- exit
  [{:keys [spec argv]}]
  (let [status  (atom nil)
        logged  (atom nil)
        printed (with-out-str
                  (reset! logged
                          (logged-lines
                           #(reset! status (jepsen.cli/exit-status
                                            (golden/eval-string spec)
                                            argv)))))]
    {:exit  @status
     :lines (->> (concat @logged (str/split-lines printed))
                 (map str/trim)
                 (remove #(str/starts-with? % "-"))
                 (filter #(re-find notable %))
                 distinct
                 vec)}))

(deftest golden-cli-test
  (with-temporary-store
    (fn [dir]
      (let [file (io/file dir "nodes.txt")]
        (spit file "f1\nf2\n  f3\n")
        (doseq [c (supported [:spec] (golden/load-vectors "cli.edn"))]
          (let [with-path (fn [argv]
                            (mapv #(if (= "nodes.txt" %) (str file) %) argv))
                c         (cond-> (update c :argv with-path)
                            (get-in c [:expect :options :argv])
                            (update-in [:expect :options :argv] with-path))]
            (check-case c (outcome #(case (:kind c)
                                      :parse (parse c)
                                      :exit  (exit c))))))))))

;;; Grudges

(deftest golden-grudges-test
  (doseq [{:keys [kind expr n measure bounds id] :as c}
          (supported [:expr :measure] (golden/load-vectors "grudges.edn"))]
    (if (= :sample kind)
      (rand/with-seed 45100
        (let [f       (golden/eval-string (str "(fn [] " expr ")"))
              metrics ((golden/eval-string (str "(fn [xs] " measure ")"))
                       (vec (repeatedly n f)))
              bad     (golden/out-of-bounds bounds metrics)]
          (is (empty? bad) (str id " is out of bounds: " (pr-str bad)))))
      (check-case c (outcome #(golden/eval-string expr))))))

;;; Checkers

(defn- history
  [ops]
  (h/history (mapv (fn [{:keys [value] :as op}]
                     (if (and (map? value) (contains? value :kv))
                       (assoc op :value (apply independent/tuple (:kv value)))
                       op))
                   ops)))

(defn- select-paths
  [result paths]
  (reduce (fn [m path] (assoc-in m path (get-in result path))) {} paths))

(defn- run-checker
  [{:keys [checker test opts select files] :as c}]
  (let [test (merge {:name       "golden"
                     :start-time "t0"
                     :nodes      ["n1" "n2" "n3"]}
                    test)]
    (doseq [[path content] files]
      (spit (store/path! test path) content))
    (let [result (golden/canonical
                  (checker/check (golden/eval-string checker) test
                                 (history (:history c)) (or opts {})))]
      (if select
        (select-paths result select)
        result))))

(deftest golden-checkers-test
  (with-temporary-store
    (fn [dir]
      (doseq [c (supported [:checker] (golden/load-vectors "checkers.edn"))]
        (check-case c (outcome #(run-checker c)))
        (temporary/delete-tree! (io/file dir "golden"))))))
