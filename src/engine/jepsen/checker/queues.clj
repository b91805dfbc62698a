(ns jepsen.checker.queues
  "Checkers of queues. Multisets are maps of value to count."
  (:require [jepsen.history :as h]
            [jepsen.vars :as vars]))

(set! *warn-on-reflection* true)

;;; Against a model

(defn- queue-op?
  "Enqueues count from their invocation, since they may take effect even if
  they fail; dequeues when they are acknowledged."
  [op]
  (case (:f op)
    :enqueue (h/invoke? op)
    :dequeue (h/ok? op)
    false))

(defn queue-result
  "The result of `jepsen.checker/queue`."
  [model history]
  (let [step          (vars/late 'knossos.model/step)
        inconsistent? (vars/late 'knossos.model/inconsistent?)
        final         (reduce (fn [model op]
                                (let [model' (step model op)]
                                  (if (inconsistent? model')
                                    (reduced model')
                                    model')))
                              model
                              (filter queue-op? history))]
    (if (inconsistent? final)
      {:valid? false
       :error  (:msg final)}
      {:valid?      true
       :final-queue final})))

;;; As multisets

(defn- minus
  [a b]
  (reduce-kv (fn [m v n]
               (let [left (- n (get b v 0))]
                 (if (pos? left) (assoc m v left) m)))
             {}
             a))

(defn- intersection
  [a b]
  (reduce-kv (fn [m v n]
               (let [common (min n (get b v 0))]
                 (if (pos? common) (assoc m v common) m)))
             {}
             a))

(defn- size
  [multiset]
  (reduce + (vals multiset)))

(defn- dequeued
  "Values that came out by an operation: one, or many for a drain."
  [op]
  (case (:f op)
    :dequeue (when (h/ok? op) [(:value op)])
    :drain   (case (:type op)
               :ok   (:value op)
               :info (throw (IllegalStateException.
                             (str "A crashed drain may have lost elements: "
                                  (pr-str op))))
               nil)
    nil))

(defn- enqueued
  [type history]
  (frequencies (eduction (filter (fn [op] (and (= :enqueue (:f op))
                                               (= type (:type op)))))
                         (map :value)
                         history)))

(defn total-queue-result
  "The result of `jepsen.checker/total-queue`."
  [history]
  (let [attempts   (enqueued :invoke history)
        enqueues   (enqueued :ok history)
        dequeues   (frequencies (eduction (mapcat dequeued) history))
        ok         (intersection dequeues attempts)
        unexpected (reduce-kv (fn [m v n]
                                (if (contains? attempts v) m (assoc m v n)))
                              {}
                              dequeues)
        duplicated (minus (minus dequeues attempts) unexpected)
        lost       (minus enqueues dequeues)
        recovered  (minus ok enqueues)]
    {:valid?             (and (empty? lost) (empty? unexpected))
     :attempt-count      (size attempts)
     :acknowledged-count (size enqueues)
     :ok-count           (size ok)
     :unexpected-count   (size unexpected)
     :duplicated-count   (size duplicated)
     :lost-count         (size lost)
     :recovered-count    (size recovered)
     :lost               lost
     :unexpected         unexpected
     :duplicated         duplicated
     :recovered          recovered}))
