(ns jepsen.util.coll
  "Pure functions on collections, names and numbers; suites use them through `jepsen.util`."
  (:require [clojure.string :as str]))

(set! *warn-on-reflection* true)

;;; Maps

(defn map-kv
  "The map of the pairs that `f` makes from the entries `[k v]` of the map `m`."
  [f m]
  (into {} (map f) m))

(defn map-keys
  "The map `m` with its keys replaced by their value under `f`."
  [f m]
  (map-kv (fn [[k v]] [(f k) v]) m))

(defn map-vals
  "The map `m` with its values replaced by their value under `f`."
  [f m]
  (map-kv (fn [[k v]] [k (f v)]) m))

(defn default
  "The map `m` with `v` at the key `k`, unless it has that key already."
  [m k v]
  (if (contains? m k) m (assoc m k v)))

(defn contains-many?
  "True if the map `m` has all of the keys `ks`."
  [m & ks]
  (every? (fn [k] (contains? m k)) ks))

;;; Sequences

(defn coll
  "The collection `x` itself, nil for nil, and a list of `x` for anything else."
  [x]
  (cond (nil? x)  nil
        (coll? x) x
        :else     (list x)))

(defn sequential
  "The sequential collection `x` itself, nil for nil, and a list of `x` for anything else."
  [x]
  (cond (nil? x)        nil
        (sequential? x) x
        :else           (list x)))

(defn nil-if-empty
  "The collection `xs`, or nil when it has no elements."
  [xs]
  (when (seq xs) xs))

(defn fast-last
  "The last element of the sequential collection `xs`, in constant time where it allows that."
  [xs]
  (cond (nil? xs)     nil
        (counted? xs) (let [n (count xs)]
                        (when (pos? n) (nth xs (dec n))))
        :else         (last xs)))

(defn chunk-vec
  "A vector of consecutive parts of the vector `v`, each of `n` elements but the last."
  [n v]
  (let [size (count v)]
    (mapv (fn [start] (subvec v start (min size (+ start n))))
          (range 0 size n))))

(defn partition-by-vec
  "Like `partition-by`, but a vector of vectors."
  [f xs]
  (into [] (comp (partition-by f) (map vec)) xs))

(defn- extreme-by
  "The first element of `xs` for which `f` yields the extreme value in the order `before?`."
  [before? f xs]
  (when (seq xs)
    (first (reduce (fn [[_ best-key :as best] x]
                     (let [k (f x)]
                       (if (before? (compare k best-key)) [x k] best)))
                   [(first xs) (f (first xs))]
                   (rest xs)))))

(defn min-by
  "The first element of `xs` for which `f` is smallest, or nil when there is none."
  [f xs]
  (extreme-by neg? f xs))

(defn max-by
  "The first element of `xs` for which `f` is largest, or nil when there is none."
  [f xs]
  (extreme-by pos? f xs))

(defn longest-common-prefix
  "The longest vector with which all of `colls` begin, or nil when there are none of them."
  [colls]
  (when (seq colls)
    (vec (reduce (fn [prefix xs]
                   (map first (take-while (fn [[a b]] (= a b)) (map vector prefix xs))))
                 (first colls)
                 (rest colls)))))

(defn drop-common-proper-prefix
  "Vectors of the elements of `colls` without their longest common prefix; at least the last
  element of each is kept."
  [colls]
  (let [shortest (reduce min Long/MAX_VALUE (map count colls))
        n        (min (count (longest-common-prefix colls)) (dec shortest))]
    (mapv (fn [xs] (vec (drop n xs))) colls)))

(defn deepfind
  "The paths to all values for which `pred` is truthy within nested maps and sequential
  collections. A path is a vector of keys and indices that ends in the value found."
  ([pred haystack] (deepfind pred [] haystack))
  ([pred path haystack]
   (cond (pred haystack)        [(conj path haystack)]
         (map? haystack)        (mapcat (fn [[k v]] (deepfind pred (conj path k) v)) haystack)
         (sequential? haystack) (mapcat (fn [i v] (deepfind pred (conj path i) v))
                                        (range) haystack)
         :else                  nil)))

(defn fixed-point
  "Applies `f` to `x`, to the result, and so on until the result equals its argument."
  [f x]
  (let [x' (f x)]
    (if (= x x') x (recur f x'))))

;;; Order

(defn compare<
  "True if `a` comes before `b` in the order of `compare`."
  [a b]
  (neg? (compare a b)))

(defn poly-compare
  "A comparator for values of mixed types: by `compare` where that works, else by class name."
  [a b]
  (try (compare a b)
       (catch ClassCastException _
         (compare (.getName (class a)) (.getName (class b))))))

(defn polysort
  "Sorts values of mixed types."
  [xs]
  (sort poly-compare xs))

;;; Numbers and names

(defn fraction
  "`a` / `b`, exactly; one when `b` is zero."
  [a b]
  (if (zero? b) 1 (/ a b)))

(defn inc*
  "Increments `x`, where nil counts as zero."
  [x]
  (if (nil? x) 1 (inc x)))

(defn maybe-number
  "The long that the string `s` denotes, or `s` itself when it denotes none."
  [s]
  (try (Long/parseLong s)
       (catch NumberFormatException _ s)))

(defn name+
  "The name of a keyword or symbol, the printed form of anything else."
  [x]
  (if (instance? clojure.lang.Named x)
    (name x)
    (pr-str x)))

(defn- intervals
  "Vectors `[first last]` of the runs of consecutive numbers in the sorted integers `xs`."
  [xs]
  (reduce (fn [runs x]
            (let [[low high] (peek runs)]
              (if (and high (= x (inc high)))
                (conj (pop runs) [low x])
                (conj runs [x x]))))
          []
          xs))

(defn integer-interval-set-str
  "A compact string for a set of integers, such as `\"#{1..3 5}\"`. A set that contains nil is
  printed as it is."
  [xs]
  (if (some nil? xs)
    (str (set xs))
    (str "#{"
         (str/join " " (for [[low high] (intervals (sort xs))]
                         (if (= low high) low (str low ".." high))))
         "}")))
