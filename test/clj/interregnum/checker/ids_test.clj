(ns interregnum.checker.ids-test
  (:require [clojure.test :refer [deftest is testing]]
            [clojure.test.check :as tc]
            [clojure.test.check.generators :as gen]
            [clojure.test.check.properties :as prop]
            [interregnum.checker.ids :as ids]
            [interregnum.checker.ids.counter :as counter]
            [interregnum.checker.stored :as stored]))

(deftest stored-histories-test
  (doseq [[verdict valid?] stored/verdicts
          {:keys [name history result]} (stored/histories verdict "ids")]
    (testing (str verdict " " name)
      (is (= valid? (:valid? result)))
      (is (= result (dissoc (ids/analysis history {}) :linearizable))))))

(deftest agrees-with-linearizability-test
  (doseq [verdict ["valid" "invalid" "unknown"]
          {:keys [name history result]} (stored/histories verdict "ids")
          :let [{:keys [valid? reason]} (:linearizable (ids/analysis history {}))
                violated (set (:violated result))]]
    (testing (str verdict " " name)
      (is (or (violated :shape)
              (= (not-any? violated counter/same-promises) valid?))
          reason))))

(deftest disagreement-test
  (let [agree    {:unique {:valid? true} :real-time-order {:valid? true}
                  :session-order {:valid? true} :floor {:valid? true}
                  :shape {:valid? true} :linearizable {:valid? true}}
        violated {:valid? false :reason "Process 1 got id 5." :count 1}
        judged   #(update-vals (counter/agreed % 0) (juxt :valid? :reason))]
    (testing "results that agree stay as they are"
      (is (= agree (counter/agreed agree 0)))
      (let [both (assoc agree :floor violated :linearizable violated)]
        (is (= both (counter/agreed both 0)))))
    (testing "an order that is violated though the history is linearizable is unknown"
      (let [reason (str "The checkers disagree about table 0 for its history is"
                        " linearizable, but violates floor.")
            found  (judged (assoc agree :floor violated))]
        (is (= [:unknown reason] (:floor found)))
        (is (= [:unknown reason] (:linearizable found)))
        (is (= [true nil] (:unique found)))))
    (testing "a history that is not linearizable though it violates no order is unknown"
      (is (= :unknown (first (:linearizable (judged (assoc agree :linearizable violated)))))))
    (testing "a batch of a wrong shape is no allocation of a counter"
      (let [shapeless (assoc agree :shape violated :unique violated)]
        (is (= shapeless (counter/agreed shapeless 0)))))))

(deftest every-invariant-rejects-something-test
  (is (= (set (keys ids/invariants))
         (into #{} (mapcat (comp :violated :result)) (stored/histories "invalid" "ids")))))

;;; Brute force: every pair of calls against the definitions.

(def ^:private gen-call
  "A call of some process with a start, a length and a value."
  (gen/let [kind    (gen/frequency [[6 (gen/return :insert)]
                                    [2 (gen/return :insert-explicit)]
                                    [2 (gen/return :next-id)]])
            rows    (gen/choose 1 3)
            low     (gen/choose 1 12)
            process (gen/choose 0 3)
            gap     (gen/choose 0 2)
            length  (gen/choose 1 6)]
    {:kind kind :low low :rows rows :process process :gap gap :length length}))

(defn- laid-out
  "Gives `calls` tags, and start and end moments so that those of one process do
  not overlap."
  [calls]
  (loop [calls calls, free {}, tag 0, done []]
    (if-let [{:keys [process gap length] :as call} (first calls)]
      (let [start (+ (get free process 0) gap)
            end   (+ start length)]
        (recur (rest calls) (assoc free process (inc end)) (+ tag 3)
               (conj done (assoc call :start start :end end :tag tag))))
      done)))

(defn- events
  "The invocation and completion of `call`, each with its moment."
  [{:keys [kind low rows process start end tag]}]
  (let [value (case kind
                :insert          {:table 0 :rows rows :tag tag}
                :insert-explicit {:table 0 :id low :tag tag}
                :next-id         {:table 0})
        ack   (case kind
                :insert          {:ids (vec (range low (+ low rows)))}
                :insert-explicit {}
                :next-id         {:next low})]
    [[start 1 {:process process :type :invoke :f kind :value value}]
     [end 0 {:process process :type :ok :f kind
             :value (merge value ack {:node "n1"})}]]))

(defn- history
  "The events of `calls` in order; at one moment completions come first."
  [calls]
  (->> (mapcat events calls)
       (map-indexed (fn [i [at kind op]] [[at kind i] op]))
       (sort-by first)
       (map-indexed (fn [i [_ op]] (assoc op :index i :time (* 1000 i))))
       vec))

(defn- paired
  "The completed calls of `history`, in order of completion: maps of :f :process
  :invoke :complete :low :high :ids."
  [history]
  (for [{:keys [type process value f] :as done} history
        :when (= :ok type)
        :let [invoke (last (filter #(and (= process (:process %))
                                         (= :invoke (:type %))
                                         (< (:index %) (:index done)))
                                   history))
              next-id (:next value)
              all     (or (:ids value) [(or (:id value) next-id)])]]
    {:f f :process process :invoke (:index invoke) :complete (:index done)
     :ids all :low (apply min all) :high (if next-id (dec next-id) (apply max all))}))

(defn- broken-count
  "How many of `later` have some call of `earlier` that `breaks?` them."
  [earlier later breaks?]
  (count (filter (fn [b] (some #(breaks? % b) earlier)) later)))

(defn- too-low?
  [a b]
  (and (< (:complete a) (:invoke b)) (<= (:low b) (:high a))))

(defn- oracle
  "Invariant → how many calls break it, by looking at every pair; and that the
  checker's second opinion agrees with it."
  [history]
  (let [by-f      (group-by :f (paired history))
        inserts   (:insert by-f)
        explicits (:insert-explicit by-f)
        peeks     (:next-id by-f)
        counts    (fn [earlier later] (broken-count earlier later too-low?))]
    {:agreed?         true
     :real-time-order (counts inserts inserts)
     :session-order   (broken-count inserts inserts
                                    #(and (= (:process %1) (:process %2))
                                          (too-low? %1 %2)))
     :floor           (counts explicits inserts)
     :next-id         (reduce + (counts peeks inserts)
                              (map #(counts % peeks) [inserts explicits peeks]))
     :unique          (broken-count inserts inserts
                                    #(and (< (:complete %1) (:complete %2))
                                          (some (set (:ids %1)) (:ids %2))))}))

(defn- checked
  "The same counts by the checker."
  [history]
  (let [{:keys [invariants linearizable]} (ids/analysis history {})]
    (into {:agreed? (not= :unknown (:valid? linearizable))}
          (for [k [:real-time-order :session-order :floor :next-id :unique]]
            [k (or (:count (invariants k)) 0)]))))

(deftest agrees-with-brute-force-test
  (let [seed   (or (some-> (System/getProperty "interregnum.seed") parse-long)
                   (System/nanoTime))
        result (tc/quick-check
                 400
                 (prop/for-all [calls (gen/vector gen-call 1 9)]
                   (let [h (history (laid-out calls))]
                     (= (oracle h) (checked h))))
                 :seed seed)]
    (println "ids checker against brute force: seed" seed)
    (is (:pass? result)
        (let [h (history (laid-out (first (:smallest (:shrunk result)))))]
          (pr-str {:seed seed :history h :oracle (oracle h) :checker (checked h)})))))
