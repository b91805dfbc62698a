(ns jepsen.history.fold
  "Folds: reductions that may run on chunks of a history in parallel.

  A fold is a map:

    :name               a symbol, to describe it
    :reducer-identity   (f) → the accumulator a chunk begins with
    :reducer            (f acc op) → acc
    :post-reducer       (f acc) → the result of a chunk
    :combiner-identity  (f) → the accumulator that combines chunks
    :combiner           (f acc chunk-result) → acc
    :post-combiner      (f acc) → the result
    :associative?       true if chunks may be combined in groups
    :asap?              true if chunks may be combined in any order

  Whatever is missing is taken from :reducer and :combiner, which then, like transducers' reducing
  functions, also take no argument and one argument. Without a :combiner the whole history is one
  chunk. Chunk results are always combined in order, which every fold allows."
  (:require [clojure.walk :as walk]
            [jepsen.history.task :as task]))

(set! *warn-on-reflection* true)

(def chunk-size
  "How many operations a chunk has."
  16384)

(defn make-fold
  "The fold `fold`, a map or only a reducer, with its missing functions filled in."
  [fold]
  (let [{:keys [reducer combiner] :as fold} (if (map? fold) fold {:reducer fold})]
    (merge {:name             'fold
            :reducer-identity reducer
            :post-reducer     reducer}
           (when combiner
             {:combiner-identity combiner
              :post-combiner     combiner})
           fold)))

(defn run
  "Runs `fold` on `size` operations. `reduce-range` is called as
  `(reduce-range start end reducer init)` to reduce the operations [start, end)."
  [fold size reduce-range]
  (let [{:keys [reducer-identity reducer post-reducer combiner-identity combiner post-combiner]}
        (make-fold fold)

        reduce-chunk (fn [start end]
                       (post-reducer (reduce-range start end reducer (reducer-identity))))]
    (if-not combiner
      (reduce-chunk 0 size)
      (let [size    (long size)
            starts  (range 0 size chunk-size)
            results (task/pmapv (fn [start]
                                  (reduce-chunk start (min size (+ (long start)
                                                                   (long chunk-size)))))
                                starts)]
        (post-combiner (reduce combiner (combiner-identity) results))))))

;;; Folds written as loops

(deftype Accs [values])

(defn- replace-recur
  "Replaces `(recur & args)` in `form` by a value that says to go on with these accumulators, except
  within nested loops and functions."
  [form]
  (cond
    (and (seq? form) (= 'recur (first form)))
    `(Accs. [~@(rest form)])

    (and (seq? form) (contains? '#{loop fn fn* loop* dotimes doseq for} (first form)))
    form

    :else
    (walk/walk replace-recur identity form)))

(defn- loop-functions
  "Code for the identity, step and finish of one loop `([acc init ...] [x] body final?)`."
  [[bindings [x] body final]]
  (let [syms (mapv first (partition 2 bindings))
        accs (gensym "accs")
        acc  (gensym "acc")]
    [`(fn [] (Accs. [~@(map second (partition 2 bindings))]))
     `(fn [~accs ~x]
        (let [~syms (.values ~(with-meta accs {:tag `Accs}))
              ~acc  ~(replace-recur body)]
          (if (instance? Accs ~acc) ~acc (reduced ~acc))))
     `(fn [~accs]
        (if (instance? Accs ~accs)
          (let [~syms (.values ~(with-meta accs {:tag `Accs}))]
            ~(cond (some? final)       final
                   (= 1 (count syms))  (first syms)
                   :else               syms))
          ~accs))]))

(defmacro loopf
  "A fold written as one or two loops. The first goes over the operations of a chunk, the second
  over the results of the chunks. A loop is a list of

    [acc init ...]  accumulators and their initial values
    [x]             the symbol for the operation or chunk result
    body            which ends in `(recur acc ...)`, or in a value that ends the loop early
    final           optional: the result, by default the accumulator or a vector of them

    (loopf {:name :count-oks}
           ([n 0] [op] (recur (if (ok? op) (inc n) n)))
           ([n 0] [m] (recur (+ n m))))"
  [options reduce-loop & [combine-loop]]
  (let [[r-identity r-step r-final] (loop-functions reduce-loop)
        [c-identity c-step c-final] (when combine-loop (loop-functions combine-loop))]
    (cond-> `(assoc ~options
                    :reducer-identity ~r-identity
                    :reducer          ~r-step
                    :post-reducer     ~r-final)
      combine-loop (concat [:combiner-identity c-identity
                            :combiner          c-step
                            :post-combiner     c-final]))))
