(ns jepsen.generator-test
  (:require [clojure.test :refer [deftest is]]
            [interregnum.golden :as golden]
            [jepsen.generator.context :as context]
            [jepsen.generator.test :as sim]
            [jepsen.random :as rand]))

(def seeds
  "Every vector must hold for each of these seeds."
  [45100 1 2 3])

(defn- scripted
  "The simulator of the vectors: operations say what becomes of them."
  [ctx gen]
  (sim/simulate ctx gen
                (fn [_ctx op]
                  (cond-> (assoc op
                                 :type (:res op :ok)
                                 :time (+ (:time op) (:lat op 10)))
                    (contains? op :ret) (assoc :value (:ret op))))))

(def simulators
  {:quick        sim/quick
   :quick-ops    sim/quick-ops
   :perfect      sim/perfect
   :perfect*     sim/perfect*
   :perfect-info sim/perfect-info
   :imperfect    sim/imperfect
   :scripted     scripted})

(defn- simulate-case
  "The outcome of a generator case: `{:expect ops}` or `{:throws description}`."
  [{:keys [expr sim ctx test]} seed]
  (let [{:keys [concurrency time] :or {concurrency 2, time 0}} ctx]
    (with-redefs [sim/rand-seed    seed
                  sim/default-test (merge sim/default-test test)]
      (try
        {:expect (mapv golden/canonical
                       ((simulators sim)
                        (assoc (context/context {:concurrency concurrency}) :time time)
                        (golden/eval-string expr)))}
        (catch Throwable t
          {:throws (golden/thrown t)})))))

(defn- comparable
  "The outcome as the case wants it compared."
  [{:keys [ignore mode]} outcome]
  (if-let [ops (:expect outcome)]
    (let [ops (mapv (fn [op] (apply dissoc op ignore)) ops)]
      {:expect (if (= :multiset mode) (frequencies ops) ops)})
    (dissoc outcome :expect)))

(defn- supported
  "The cases whose code uses only namespaces that exist."
  [cases]
  (remove (fn [c] (seq (golden/missing-namespaces (str (:expr c) " " (:measure c))))) cases))

(deftest golden-generators-test
  (let [cases (golden/load-vectors "generators.edn")]
    (doseq [{:keys [id doc] :as c} (supported cases)
            seed seeds]
      (let [expected (comparable c (select-keys c [:expect :throws]))
            got      (comparable c (simulate-case c seed))]
        (is (golden/same-outcome? expected got)
            (str id " (" doc "), seed " seed ": expected " (pr-str expected)
                 ", got " (pr-str got)))))))

(defn- measure
  "The numbers that a random case measures, with `seed`."
  [{:keys [kind expr measure n] :as c} seed]
  (rand/with-seed seed
    (if (= :sample kind)
      (let [f (golden/eval-string (str "(fn [] " expr ")"))]
        ((golden/eval-string (str "(fn [xs] " measure ")")) (vec (repeatedly n f))))
      (let [{:keys [expect throws]} (simulate-case c seed)]
        (if throws
          (throw (ex-info "the generator threw" throws))
          ((golden/eval-string (str "(fn [ops] " measure ")")) expect))))))

(deftest golden-random-generators-test
  (doseq [{:keys [id doc bounds] :as c} (supported (golden/load-vectors "random-generators.edn"))
          seed seeds]
    (let [metrics (measure c seed)]
      (is (empty? (golden/out-of-bounds bounds metrics))
          (str id " (" doc "), seed " seed ": " metrics " is not within " bounds)))))
