(ns knossos.search
  "Hands histories and models to the Java checker and puts its answers into Knossos' form."
  (:require [knossos.model :as model])
  (:import (clojure.lang Keyword)
           (interregnum.check Budget Counterexample Failure Linearizability Result Result$OpenPart
                              Verdict)
           (interregnum.check.history EventType History HistoryException Recording
                                      Recording$Event)
           (interregnum.check.model Call FifoQueue GrowingSet Inconsistent Model MultiRegister
                                    Mutex Register UnorderedQueue)
           (java.time Duration)
           (java.util Optional)))

(set! *warn-on-reflection* true)

;;; Models

(defn- clojure-model
  "Any model as one for the Java checker. It steps operations with all their keys but :index and
  :time, which is what makes two of them equal."
  ^Model [initial]
  (reify Model
    (name [_] (.getSimpleName (class initial)))
    (initial [_] initial)
    (step [_ state call]
      (let [after (model/step state (.detail ^Call call))]
        (if (model/inconsistent? after)
          (Inconsistent. (str (:msg after)))
          after)))))

(defn- java-model
  "The Java checker's own model that means the same as the Knossos model `m`, if there is one."
  ^Model [m]
  (condp instance? m
    knossos.model.Register       (Register. "register" (:value m) false false)
    knossos.model.CASRegister    (Register. "cas-register" (:value m) true false)
    knossos.model.MultiRegister  (MultiRegister. (into {} m))
    knossos.model.Mutex          (when-not (:locked? m) (Mutex.))
    knossos.model.Set            (when (empty? (:s m)) (GrowingSet. false))
    knossos.model.UnorderedQueue (when (empty? (:pending m)) (UnorderedQueue.))
    knossos.model.FIFOQueue      (when (empty? (:pending m)) (FifoQueue. false))
    nil))

(defn- knossos-model
  "The Knossos model, of the kind of `m`, in the given state of a Java model."
  [m state]
  (condp instance? m
    knossos.model.Register       (model/register state)
    knossos.model.CASRegister    (model/cas-register state)
    knossos.model.MultiRegister  (model/multi-register state)
    knossos.model.Mutex          (assoc m :locked? state)
    knossos.model.Set            (assoc m :s state)
    knossos.model.UnorderedQueue (assoc m :pending state)
    knossos.model.FIFOQueue      (assoc m :pending state)
    state))

;;; Histories

(defn- event-type
  ^EventType [op]
  (condp identical? (:type op)
    :invoke EventType/INVOKE
    :ok     EventType/OK
    :fail   EventType/FAIL
    :info   EventType/INFO
    (throw (HistoryException. (str "an operation of unknown type: " (pr-str op))))))

(defn- recording
  "The operations of the vector `ops` in the checker's form. Operations of processes that have
  nothing but :info, as the nemesis, are left out. If `whole?`, a model sees whole operations."
  ^Recording [ops whole?]
  (let [recording (Recording. "operation")
        acting    (into #{} (comp (remove #(identical? :info (:type %))) (map :process)) ops)]
    (reduce (fn [^long i op]
              (when (contains? acting (:process op))
                (let [type   (event-type op)
                      detail (when (and whole? (identical? EventType/INVOKE type))
                               (dissoc (into {} op) :index :time))]
                  (.add recording (Recording$Event. type (:process op) (:f op) (:value op)
                                                    detail i i))))
              (inc i))
            0
            ops)
    recording))

(defn- whole-model
  "Wraps the Clojure model so that the operation it steps carries the value of its completion."
  ^Model [^Model m]
  (reify Model
    (name [_] (.name m))
    (initial [_] (.initial m))
    (step [_ state call] (.step m state call))
    (interpret [_ call _process _crashed]
      (let [^Call call call]
        (Optional/of (Call. (.f call) (.value call)
                            (assoc (.detail call) :value (.value call))))))))

;;; Results

(defn- plain
  [op]
  (into {} op))

(defn- concurrent
  "The operations of the failing part that are open when the failing one completes, as invocations
  of the vector `ops`."
  [ops ^Failure failure]
  (let [^History h (.history (.part failure))
        position   (.complete h (.operation failure))]
    (for [i (range (.size h))
          :while (< (.invoke h i) position)
          :when (and (>= (.complete h i) position) (not= i (.operation failure)))]
      (plain (assoc (nth ops (.invokeIndex h i)) :value (.value (.call h i)))))))

(defn- paths-from
  "Ways to go on from the model `m`, each ending in an inconsistent model: at most one of the
  operations `before`, then `op`."
  [m before op]
  (into [[{:op op, :model (model/step m op)}]]
        (for [b before
              :let [m' (model/step m b)]
              :when (not (model/inconsistent? m'))
              :let [m'' (model/step m' op)]
              :when (model/inconsistent? m'')]
          [{:op b, :model m'} {:op op, :model m''}])))

(defn- invalid
  [m ops ^Failure failure]
  (let [^History h (.history (.part failure))
        op         (plain (nth ops (.completeIndex h (.operation failure))))
        previous   (.previousOk failure)
        previous   (when-not (neg? previous) (plain (nth ops (.completeIndex h previous))))
        models     (mapv #(knossos-model m %) (take 32 (.possibleStates failure)))
        open       (take 32 (concurrent ops failure))]
    (with-meta
      (cond-> {:valid?      false
               :op          op
               :previous-ok previous
               :last-op     previous
               :final-paths (into #{}
                                  (mapcat (fn [model]
                                            (map #(into [{:op previous, :model model}] %)
                                                 (paths-from model (take 4 open) op))))
                                  models)
               :configs     (mapv (fn [model]
                                    {:model model, :last-op previous, :pending (vec open)})
                                  models)}
        (.isPresent (.counterexample failure))
        (assoc :counterexample
               (let [^Counterexample c (.get (.counterexample failure))
                     ^History alone   (.history c)]
                 (mapv (fn [i] (plain (nth ops (.invokeIndex alone i)))) (range (.size alone))))))
      {::failure failure})))

(defn- unknown
  [^Result result]
  (let [^Result$OpenPart part (first (.open result))
        reason                (.reason part)]
    {:valid? :unknown
     :cause  (if (re-find #"heap" reason) :out-of-memory :timeout)
     :error  (str "undecided: " reason "; the first " (.decidedOperations part) " of "
                  (.operations part) " operations are linearizable; " (.advice part))}))

(defn- budget
  ^Budget [{:keys [time-limit]}]
  (cond-> (Budget/standard)
    time-limit (.withTime (Duration/ofMillis (long time-limit)))))

(defn analysis
  "Checks the history, a sequence of operations, against the model `m`. Options:

    :time-limit   ms after which to give up

  The result is valid,

    {:valid? true, :configs [{:model m}]}

  or tells the first operation that cannot be linearized,

    {:valid? false
     :op              the :ok completion
     :previous-ok     the :ok completion before it, also as :last-op
     :final-paths     a set of [{:op :model} ...] that lead to an inconsistent model
     :configs         [{:model :last-op :pending}] right before it
     :counterexample  invocations of operations that by themselves are not linearizable}

  or is undecided, `{:valid? :unknown, :cause :timeout}` or `:out-of-memory`, with an :error that
  says how far it came."
  [m history opts]
  (let [ops    (vec history)
        java   (java-model m)
        java   (or java (whole-model (clojure-model m)))
        record (recording ops (nil? (java-model m)))]
    (if (zero? (.successes record))
      {:valid? true, :configs [{:model m}]}
      (let [result (Linearizability/check java record (budget opts))]
        (condp identical? (.verdict result)
          Verdict/VALID   {:valid?  true
                           :configs (mapv (fn [state] {:model (knossos-model m state)})
                                          (take 10 (.finalStates result)))}
          Verdict/INVALID (invalid m ops (.get (.failure result)))
          Verdict/UNKNOWN (unknown result))))))

(defn failure
  "What an invalid `analysis` found, as the Java checker describes it; nil for other results."
  ^Failure [analysis]
  (::failure (meta analysis)))
