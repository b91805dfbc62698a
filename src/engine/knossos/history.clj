(ns knossos.history
  "Pairs of invocations and completions in histories, which are sequences of operations."
  (:require [knossos.op :as op]))

(defn index
  "The history with the position of each operation as its :index."
  [history]
  (vec (map-indexed (fn [i o] (assoc o :index i)) history)))

(defn- pairing
  "Pairs of positions of a history: [invocation completion], [info], or [invocation] without a
  completion, in the order in which they begin. If `infos?`, an :info completes like any other type;
  without an invocation it is alone."
  [history infos?]
  (loop [i 0, ops (seq history), open {}, pairs []]
    (if-let [[o & more] ops]
      (let [p (:process o)
            begun (open p)]
        (cond
          (op/invoke? o)
          (do (when begun
                (throw (IllegalArgumentException.
                        (str "Process " p " already has an open operation, but invoked "
                             (pr-str o)))))
              (recur (inc i) more (assoc open p (count pairs)) (conj pairs [i])))

          (and (op/info? o) (not (and infos? begun)))
          (recur (inc i) more (dissoc open p) (conj pairs [i]))

          begun
          (recur (inc i) more (dissoc open p) (update pairs begun conj i))

          :else
          (throw (IllegalArgumentException.
                  (str "Process " p " completed what it did not invoke: " (pr-str o))))))
      pairs)))

(defn- in-order-of-completion
  "Pairs of positions by the later one; invocations alone come last."
  [ops pairs]
  (sort-by (fn [pair]
             [(and (= 1 (count pair)) (op/invoke? (ops (peek pair)))) (peek pair)])
           pairs))

(defn- looked-up
  "The pairs of positions as pairs of operations of the history, in the order in which they were
  complete."
  [history pairs]
  (let [ops (vec history)]
    (mapv #(mapv ops %) (in-order-of-completion ops pairs))))

(defn pairs
  "[invocation completion] or [info] for everything in a history; an operation that crashed or
  never ended is an [invocation] alone."
  [history]
  (looked-up history (pairing history false)))

(defn pairs+
  "Like `pairs`, but an :info completes the invocation of its process."
  [history]
  (looked-up history (pairing history true)))

(defn- counterparts
  "A map of each operation to the one it is paired with, or nil."
  [history infos?]
  (into {}
        (mapcat (fn [[a b]] (if b [[a b] [b a]] [[a nil]])))
        (looked-up history (pairing history infos?))))

(defn pair-index
  "A map of each operation of an indexed history to its counterpart, nil if it has none."
  [history]
  (counterparts history false))

(defn pair-index+
  "Like `pair-index`, with an :info as the counterpart of its invocation."
  [history]
  (counterparts history true))

(defn invocation
  "The invocation that `op` completes, by a `pair-index`; `op` itself if it is one."
  [pair-index op]
  (if (op/invoke? op) op (get pair-index op)))

(defn completion
  "The completion of the invocation `op`, by a `pair-index`; `op` itself if it is one."
  [pair-index op]
  (if (op/invoke? op) (get pair-index op) op))

(defn- completed
  "The invocation of a pair with what its completion adds."
  [invocation completion]
  (condp = (:type completion)
    :ok   (assoc invocation :value (:value completion))
    :fail (do (assert (= (:value invocation) (:value completion))
                      "a failed operation has the value of its invocation")
              (assoc invocation :value (:value completion), :fails? true))
    invocation))

(defn complete
  "The history with the values of completions in their invocations too, and with `:fails? true` in
  the invocations and completions of operations that failed."
  [history]
  (let [ops (vec history)]
    (reduce (fn [ops [a b]]
              (let [completion (when b (ops b))
                    ops        (if b (update ops a completed completion) ops)]
                (if (and b (op/fail? completion))
                  (assoc-in ops [b :fails?] true)
                  ops)))
            ops
            (pairing ops true))))

(defn processes
  "The set of processes in a history."
  [history]
  (into #{} (map :process) history))

(defn sort-processes
  "Processes in order: numbers first, then others by name."
  [processes]
  (concat (sort (filter number? processes))
          (sort-by str (remove number? processes))))

(defn unmatched-invokes
  "Invocations without any completion, not even an :info."
  [history]
  (for [[a & more] (pairs+ history) :when (and (op/invoke? a) (empty? more))] a))

(defn crashed-invokes
  "Invocations whose outcome is unknown: completed by an :info or by nothing."
  [history]
  (for [[a b] (pairs+ history) :when (and (op/invoke? a) (or (nil? b) (op/info? b)))] a))

(defn without-failures
  "The history without the operations that failed."
  [history]
  (let [ops (vec history)
        failed (into #{} (mapcat (fn [[_ b :as pair]] (when (and b (op/fail? (ops b))) pair)))
                     (pairing ops true))]
    (into [] (keep-indexed (fn [i o] (when-not (failed i) o))) ops)))

(defn preprocess
  "The history as analyses see it: indexed, completed, without failures."
  [history]
  (let [history (vec history)]
    (without-failures (complete (if (:index (first history)) history (index history))))))
