(ns knossos.model
  "Single-threaded models of the things under test: a model and an operation give the next model,
  or an inconsistent one if the operation cannot happen.

  Models look at the :f and :value of an operation. A read of nil says nothing about a register."
  (:refer-clojure :exclude [set])
  (:import (clojure.lang PersistentQueue)))

(defprotocol Model
  "Something with a state that operations change."
  (step [model op] "The model after the operation `op`, or an inconsistent one."))

(defrecord Inconsistent [msg]
  Model
  (step [this _op] this)

  Object
  (toString [_] (str msg)))

(defn inconsistent
  "The outcome of an operation that cannot happen, with a message that says why."
  [msg]
  (Inconsistent. msg))

(defn inconsistent?
  "True if the operations so far cannot have happened."
  [model]
  (instance? Inconsistent model))

(defrecord NoOp []
  Model
  (step [this _op] this))

(def noop
  "A model with which everything is consistent."
  (NoOp.))

(defn- read-register
  "The register `this` after a read of `v`."
  [this v msg]
  (if (or (nil? v) (= v (:value this)))
    this
    (inconsistent (msg))))

(defrecord Register [value]
  Model
  (step [this op]
    (let [v (:value op)]
      (condp = (:f op)
        :write (Register. v)
        :read  (read-register this v #(str (pr-str value) "≠" (pr-str v))))))

  Object
  (toString [_] (pr-str value)))

(defn register
  "A register that can be read and written, holding `x` or nil."
  ([] (Register. nil))
  ([x] (Register. x)))

(defrecord CASRegister [value]
  Model
  (step [this op]
    (let [v (:value op)]
      (condp = (:f op)
        :write (CASRegister. v)
        :cas   (let [[old new] v]
                 (if (= old value)
                   (CASRegister. new)
                   (inconsistent (str "can't CAS " (pr-str value) " from " (pr-str old) " to "
                                      (pr-str new)))))
        :read  (read-register this v #(str "can't read " (pr-str v) " from register "
                                           (pr-str value))))))

  Object
  (toString [_] (pr-str value)))

(defn cas-register
  "A register with compare-and-set, [old new], besides reads and writes, holding `x` or nil."
  ([] (CASRegister. nil))
  ([x] (CASRegister. x)))

(defrecord Mutex [locked?]
  Model
  (step [_this op]
    (condp = (:f op)
      :acquire (if locked? (inconsistent "already held") (Mutex. true))
      :release (if locked? (Mutex. false) (inconsistent "not held"))))

  Object
  (toString [_] (if locked? "locked" "free")))

(defn mutex
  "A free lock for :acquire and :release by anyone."
  []
  (Mutex. false))

(defn- step-register
  "The registers after one [f k v] of a transaction."
  [registers [f k v]]
  (condp = f
    :read  (if (or (nil? v) (= v (get registers k)))
             registers
             (reduced (inconsistent (str (pr-str (get registers k)) "≠" (pr-str v)))))
    :write (assoc registers k v)))

(defrecord MultiRegister []
  Model
  (step [this op]
    (assert (= :txn (:f op)))
    (reduce step-register this (:value op))))

(defn multi-register
  "Registers from the map `values`, for :txn operations of [:read k v] and [:write k v]."
  [values]
  (map->MultiRegister values))

(defrecord Set [s]
  Model
  (step [this op]
    (condp = (:f op)
      :add  (Set. (conj s (:value op)))
      :read (if (= s (:value op))
              this
              (inconsistent (str "can't read " (pr-str (:value op)) " from " (pr-str s)))))))

(defn set
  "An empty set, for :add and for a :read of all of it."
  []
  (Set. #{}))

(defrecord UnorderedQueue [pending]
  Model
  (step [_this op]
    (let [x (:value op)
          n (get pending x 0)]
      (condp = (:f op)
        :enqueue (UnorderedQueue. (assoc pending x (inc n)))
        :dequeue (case (long n)
                   0 (inconsistent (str "can't dequeue " (pr-str x)))
                   1 (UnorderedQueue. (dissoc pending x))
                   (UnorderedQueue. (assoc pending x (dec n))))))))

(defn unordered-queue
  "An empty queue that gives back what was put in, in any order. Its :pending maps elements to their
  number."
  []
  (UnorderedQueue. {}))

(defrecord FIFOQueue [pending]
  Model
  (step [_this op]
    (let [x (:value op)]
      (condp = (:f op)
        :enqueue (FIFOQueue. (conj pending x))
        :dequeue (cond (empty? pending)     (inconsistent (str "can't dequeue " (pr-str x)
                                                               " from empty queue"))
                       (= x (peek pending)) (FIFOQueue. (pop pending))
                       :else                (inconsistent (str "can't dequeue " (pr-str x))))))))

(defn fifo-queue
  "An empty queue that gives back what was put in, in that order."
  []
  (FIFOQueue. PersistentQueue/EMPTY))
