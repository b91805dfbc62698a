(ns jepsen.random
  "Random numbers for generators, nemeses and workloads, from one replaceable source.

  The source is global rather than thread-local: one call of `set-seed!` at the start of a run
  repeats every choice that the generator makes. Any `java.util.random.RandomGenerator` that is
  safe for use by several threads will do; the default is an unseeded `java.util.Random`.

  Intervals include their lower and exclude their upper bound."
  (:refer-clojure :exclude [double long nth shuffle])
  (:import (java.util ArrayList Collection Random)
           (java.util.concurrent.atomic AtomicReference)
           (java.util.random RandomGenerator)))

(set! *warn-on-reflection* true)

;;; The source

(def ^:private ^AtomicReference source
  "Holds the RandomGenerator in use."
  (AtomicReference. (Random.)))

(defn rng
  "The RandomGenerator that all functions of this namespace draw from."
  ^RandomGenerator []
  (.get source))

(defn set-rng!
  "Replaces the source of randomness by `generator` and returns it."
  [^RandomGenerator generator]
  (.set source generator)
  generator)

(defn set-seed!
  "Replaces the source of randomness by a new one that starts from the long `seed`."
  [seed]
  (set-rng! (Random. (clojure.core/long seed))))

(defn with-rng*
  "Calls the function `thunk` with `generator` as the source, and restores the source afterwards."
  [generator thunk]
  (let [before (rng)]
    (set-rng! generator)
    (try (thunk)
         (finally (set-rng! before)))))

(defmacro with-rng
  "Evaluates `body` with the RandomGenerator `generator` as the source, in every thread."
  [generator & body]
  `(with-rng* ~generator (fn [] ~@body)))

(defmacro with-seed
  "Evaluates `body` with a new source that starts from the long `seed`, in every thread."
  [seed & body]
  `(with-rng* (Random. (clojure.core/long ~seed)) (fn [] ~@body)))

;;; Numbers

(defn long
  "A uniform long: any at all, or in [0, `upper`), or in [`lower`, `upper`)."
  (^long [] (.nextLong (rng)))
  (^long [^long upper] (.nextLong (rng) upper))
  (^long [^long lower ^long upper] (.nextLong (rng) lower upper)))

(defn double
  "A uniform double in [0, 1), [0, `upper`) or [`lower`, `upper`)."
  (^double [] (.nextDouble (rng)))
  (^double [^double upper] (* upper (.nextDouble (rng))))
  (^double [^double lower ^double upper]
   (+ lower (* (- upper lower) (.nextDouble (rng))))))

(defn bool
  "True with probability `p`, one half by default."
  ([] (.nextBoolean (rng)))
  ([p] (< (double) (clojure.core/double p))))

(defn exp
  "An exponentially distributed double with mean `mean`."
  ^double [^double mean]
  (- (* mean (Math/log (- 1.0 (double))))))

(defn geometric
  "How many trials fail before the first success, when each succeeds with probability `p`."
  ^long [p]
  (let [p (clojure.core/double p)]
    (assert (and (< 0.0 p) (<= p 1.0)) "p must be in (0, 1]")
    (if (= 1.0 p)
      0
      (clojure.core/long (Math/floor (/ (Math/log (- 1.0 (double)))
                                        (Math/log (- 1.0 p))))))))

(def zipf-default-skew
  "The exponent `zipf` uses unless told: as close to one as the method allows."
  1.0001)

(defn- hat-integral
  "The integral of t^-`skew` from 1 to `x`."
  ^double [^double skew ^double x]
  (let [e (- 1.0 skew)]
    (/ (- (Math/pow x e) 1.0) e)))

(defn- hat-integral-inverse
  "The x whose `hat-integral` is `y`."
  ^double [^double skew ^double y]
  (let [e (- 1.0 skew)]
    (Math/pow (+ 1.0 (* y e)) (/ 1.0 e))))

(defn zipf
  "A Zipf-distributed long in [0, `n`): k has a weight of (k + 1)^-`skew`.

  Sampled by rejection-inversion (Hörmann and Derflinger 1996), so that its cost does not grow
  with `n`. The skew must be positive and not exactly one."
  (^long [n] (zipf zipf-default-skew n))
  (^long [skew n]
   (let [skew   (clojure.core/double skew)
         n      (clojure.core/long n)
         _      (assert (and (pos? skew) (not= 1.0 skew)) "skew must be positive and not 1")
         _      (assert (pos? n) "n must be positive")
         low    (- (hat-integral skew 1.5) 1.0)
         high   (hat-integral skew (+ n 0.5))
         accept (- 2.0 (hat-integral-inverse skew (- (hat-integral skew 2.5)
                                                     (Math/pow 2.0 (- skew)))))]
     (loop []
       (let [u (+ high (* (double) (- low high)))
             x (hat-integral-inverse skew u)
             k (max 1 (min n (Math/round x)))]
         (if (or (<= (- k x) accept)
                 (<= (- (hat-integral skew (+ k 0.5)) (Math/pow k (- skew))) u))
           (dec k)
           (recur)))))))

;;; Collections

(defn nth
  "A uniformly chosen element of `coll`; throws IndexOutOfBoundsException when there is none."
  [coll]
  (let [n (count coll)]
    (when (zero? n)
      (throw (IndexOutOfBoundsException. "no element to choose: the collection is empty")))
    (clojure.core/nth (if (sequential? coll) coll (seq coll)) (long n))))

(defn nth-empty
  "A uniformly chosen element of `coll`, or nil when there is none."
  [coll]
  (when (seq coll)
    (nth coll)))

(defn shuffle
  "The elements of `coll` in uniformly random order, in a collection of the same type."
  [coll]
  (let [xs (ArrayList. ^Collection coll)]
    (loop [i (dec (.size xs))]
      (when (pos? i)
        (let [j (int (long (inc i)))
              x (.get xs j)]
          (.set xs j (.get xs (int i)))
          (.set xs (int i) x)
          (recur (dec i)))))
    (cond (vector? coll) (vec (.toArray xs))
          (seq? coll)    (apply list xs)
          :else          (into (empty coll) xs))))

(defn nonempty-subset
  "A prefix, of uniformly random length of at least one, of a random permutation of `coll`.
  Nil when `coll` is empty."
  [coll]
  (when (seq coll)
    (take (inc (long (count coll))) (shuffle (vec coll)))))

;;; Weighted choice

(defn double-weighted-index
  "An index into `weights`, a double array, chosen in proportion to the weights there.
  `total` is their sum."
  (^long [^doubles weights]
   (double-weighted-index (areduce weights i sum 0.0 (+ sum (aget weights i))) weights))
  (^long [total weights]
   (let [^doubles weights weights
         end   (dec (alength weights))
         point (double (clojure.core/double total))]
     (loop [i 0, point point]
       (if (or (= i end) (< point (aget weights i)))
         i
         (recur (inc i) (- point (aget weights i))))))))

(defn weighted-fn
  "A function of no arguments that chooses a key of the map `weights` of values to weights,
  in proportion to the weights."
  [weights]
  (let [values  (vec (keys weights))
        weights (double-array (vals weights))
        total   (areduce weights i sum 0.0 (+ sum (aget weights i)))]
    (assert (pos? total) "weights must have a positive sum")
    (fn [] (clojure.core/nth values (double-weighted-index total weights)))))

(defn weighted
  "Chooses a key of the map `weights` of values to weights, in proportion to the weights.

    (weighted {:read 5, :write 1})"
  [weights]
  ((weighted-fn weights)))

(defmacro branch
  "Evaluates one of `forms`, all equally likely."
  [& forms]
  `(case (long ~(count forms))
     ~@(mapcat vector (range) forms)))

(defmacro weighted-branch
  "Evaluates one of the forms in `weights-and-forms`, alternating weights and forms, in proportion
  to the weights.

    (weighted-branch 2 (read) 1 (write))"
  [& weights-and-forms]
  (let [pairs (partition 2 weights-and-forms)]
    `(case (double-weighted-index (double-array [~@(map first pairs)]))
       ~@(mapcat vector (range) (map second pairs)))))
