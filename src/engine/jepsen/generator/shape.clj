;;;; Part of jepsen.generator: combinators that shape a sequence of operations.

(in-ns 'jepsen.generator)

;;; Changing and dropping operations

(defrecord Map [f gen]
  Generator
  (update [this test ctx event]
    (let [gen' (update gen test ctx event)]
      (cond (identical? gen gen') this
            (some? gen')          (Map. f gen'))))
  (op [_ test ctx]
    (when-some [[o gen'] (op gen test ctx)]
      [(if (identical? :pending o) o (f o test ctx))
       (when (some? gen') (Map. f gen'))])))

(defn- three-argument-fn
  "The function `f` of an operation, or of an operation, the test and the context, as one of three
  arguments."
  [f]
  (let [arities (when (instance? AFunction f) (declared-arities f))]
    (cond (contains? arities 3)                     f
          (or (contains? arities 1)
              (instance? RestFn f)
              (not (instance? AFunction f)))        (fn [o _test _ctx] (f o))
          :else (throw (AssertionError.
                         (str "a function of an operation, or of operation, test and context "
                              "is needed; this one takes " arities " arguments"))))))

(defn map
  "The operations of `gen`, each replaced by `(f op)` or, if `f` takes three arguments, by
  `(f op test context)`."
  [f gen]
  (let [f (three-argument-fn f)]
    (when (some? gen)
      (Map. f gen))))

(defn f-map
  "The operations of `gen` with `fm`, a map or function, applied to their :f.

    (f-map {:read :r} {:f :read})"
  [fm gen]
  (map (fn [o] (assoc o :f (fm (:f o)))) gen))

(defrecord Filter [pred gen]
  Generator
  (update [this test ctx event]
    (let [gen' (update gen test ctx event)]
      (cond (identical? gen gen') this
            (some? gen')          (Filter. pred gen'))))
  (op [_ test ctx]
    (loop [gen gen]
      (when-some [[o gen'] (op gen test ctx)]
        (if (or (identical? :pending o) (pred o))
          [o (when (some? gen') (Filter. pred gen'))]
          (recur gen'))))))

(defn filter
  "The operations of `gen` for which `pred` is truthy. Those dropped take no time, but count for
  limits within."
  [pred gen]
  (when (some? gen)
    (Filter. pred gen)))

(defrecord OnUpdate [f gen]
  Generator
  (update [this test ctx event] (f this test ctx event))
  (op [_ test ctx]
    (when-some [[o gen'] (op gen test ctx)]
      [o (OnUpdate. f gen')])))

(defn on-update
  "The operations of `gen`. An update calls `(f this test context event)`, whose value is the
  generator to go on with; `this` has `gen` as :gen."
  [f gen]
  (OnUpdate. f gen))

;;; Counting

(defrecord Limit [^long remaining gen]
  Generator
  (update [this test ctx event]
    (let [gen' (update gen test ctx event)]
      (cond (identical? gen gen') this
            (some? gen')          (Limit. remaining gen'))))
  (op [this test ctx]
    (when (pos? remaining)
      (when-some [res (op gen test ctx)]
        (let [o (nth res 0), gen' (nth res 1)]
          (if (identical? :pending o)
            [:pending this]
            [o (when (some? gen') (Limit. (dec remaining) gen'))]))))))

(defn limit
  "At most `n` operations of `gen`, logs and sleeps included."
  [n gen]
  (when (some? gen)
    (Limit. (long (Math/ceil (double n))) gen)))

(defn once
  "At most one operation of `gen`."
  [gen]
  (limit 1 gen))

(defrecord Repeat [^long remaining gen]
  Generator
  (update [this test ctx event]
    (let [gen' (update gen test ctx event)]
      (cond (identical? gen gen') this
            (some? gen')          (Repeat. remaining gen'))))
  (op [this test ctx]
    (when-not (zero? remaining)
      (when-some [res (op gen test ctx)]
        (let [o (nth res 0)]
          [o (if (or (neg? remaining) (identical? :pending o))
               this
               (Repeat. (dec remaining) gen))])))))

(defn repeat
  "The first operation of `gen` again and again, for ever or `n` times: `gen` never advances, only
  updates change it. Ends when `gen` is exhausted."
  ([gen]
   (when (some? gen)
     (Repeat. -1 gen)))
  ([n gen]
   (assert (not (neg? n)) "a number of repetitions is not negative")
   (when (some? gen)
     (Repeat. (long n) gen))))

(defrecord Cycle [^long remaining original gen]
  Generator
  (update [_ test ctx event]
    (Cycle. remaining original (update gen test ctx event)))
  (op [_ test ctx]
    (loop [remaining remaining, gen gen]
      (when-not (zero? remaining)
        (if-some [[o gen'] (op gen test ctx)]
          [o (Cycle. remaining original gen')]
          (when-not (and (neg? remaining) (identical? gen original))
            (recur (if (neg? remaining) remaining (dec remaining)) original)))))))

(defn cycle
  "The operations of `gen`, and when it is exhausted those of `gen` as it was at first, for ever or
  `n` times."
  ([gen]
   (when (some? gen)
     (Cycle. -1 gen gen)))
  ([n gen]
   (when (and (some? gen) (pos? n))
     (Cycle. (long n) gen gen))))

;;; Sequences

(defn concat
  "The operations of each of `gens` in turn; those that are nil are left out."
  [& gens]
  (core/remove nil? gens))

(defn log
  "An operation that logs `message`."
  [message]
  {:type :log, :value message})

(defn sleep
  "An operation that keeps its thread busy for `dt` seconds."
  [dt]
  {:type :sleep, :value dt})

(defn dissoc-vec
  "The vector `v` without its element at the index `i`."
  [v i]
  (into (subvec v 0 i) (subvec v (inc (long i)))))

(defn assoc-or-dissoc-vec
  "The vector `v` with `x` at the index `i` or, if `x` is nil, without its element there."
  [v i x]
  (if (nil? x)
    (dissoc-vec v i)
    (assoc v i x)))

(defn rand-int-seq
  "An infinite lazy sequence of random integers, from [0, `n`) if `n` is given."
  ([] (repeatedly (fn [] (rand/long))))
  ([n] (repeatedly (fn [] (rand/long n)))))

(defn rand-seq
  "An infinite lazy sequence of random doubles from [0, 1)."
  []
  (repeatedly (fn [] (rand/double))))

(defrecord Mix [^long i gens]
  Generator
  (update [this _test _ctx _event] this)
  (op [this test ctx]
    (loop [i i, gens gens]
      (when-not (zero? (count gens))
        (let [gen (nth gens i)]
          (if-some [res (op gen test ctx)]
            (let [o (nth res 0), gen' (nth res 1)]
              (if (identical? :pending o)
                [:pending this]
                [o (Mix. (rand/long (count gens))
                         (if (identical? gen gen') gens (assoc gens i gen')))]))
            (let [gens (dissoc-vec gens i)]
              (when (pos? (count gens))
                (recur (rand/long (count gens)) gens)))))))))

(defn mix
  "Operations of `gens`, each from a member chosen at random, all being equally likely, until all
  are exhausted. Ignores updates; so use it on maps and functions, or put what needs updates
  outside." [gens]
  (let [gens (into [] (core/remove nil?) gens)]
    (when (seq gens)
      (Mix. (rand/long (count gens)) gens))))

(defrecord FlipFlop [gens ^long i]
  Generator
  (update [this _test _ctx _event] this)
  (op [this test ctx]
    (when-some [[o gen'] (op (nth gens i) test ctx)]
      (if (identical? :pending o)
        [:pending this]
        [o (FlipFlop. (assoc gens i gen') (rem (inc i) (count gens)))]))))

(defn flip-flop
  "An operation of `a`, one of `b`, one of `a`, and so on, until the one whose turn it is, is
  exhausted. Ignores updates."
  [a b]
  (FlipFlop. [a b] 0))

;;; Choosing by time

(defn soonest-op-map
  "Of two offers, maps with an :op (nil, :pending or an Op), the one to take: an operation before
  :pending before none, and the one with the smaller :time. Equal times are decided at random, in
  proportion to the :weight of the offers, 1 by default; the offer taken then has the sum as its
  weight, which makes the choice among several fair."
  [a b]
  (let [o1 (:op a), o2 (:op b)]
    (cond
      (nil? a)                   b
      (nil? b)                   a
      (nil? o1)                  b
      (nil? o2)                  a
      (identical? :pending o1)   b
      (identical? :pending o2)   a
      :else
      (let [t1 (long (:time o1)), t2 (long (:time o2))]
        (if (= t1 t2)
          (let [w1 (:weight a 1), w2 (:weight b 1)]
            (assoc (if (< (rand/double (+ w1 w2)) w1) a b)
                   :weight (+ w1 w2)))
          (if (< t1 t2) a b))))))

(defn- soonest-of
  "The soonest offer of the vector `gens`, with its index as :i; nil if all are exhausted."
  [gens test ctx]
  (loop [i 0, soonest nil]
    (if (< i (count gens))
      (recur (inc i)
             (if-some [[o gen'] (op (nth gens i) test ctx)]
               (soonest-op-map soonest {:op o, :gen' gen', :weight 1, :i i})
               soonest))
      soonest)))

(defn- update-each
  "The vector `gens`, each updated."
  [gens test ctx event]
  (mapv (fn [gen] (update gen test ctx event)) gens))

(defrecord Any [gens]
  Generator
  (update [_ test ctx event]
    (let [gens (into [] (core/remove nil?) (update-each gens test ctx event))]
      (when (seq gens)
        (Any. gens))))
  (op [_ test ctx]
    (when-some [{o :op, :keys [gen' i]} (soonest-of gens test ctx)]
      [o (Any. (assoc-or-dissoc-vec gens i gen'))])))

(defn any
  "The operations of all of `gens`, whichever is soonest, until all are exhausted."
  [& gens]
  (let [gens (into [] (core/remove nil?) gens)]
    (case (count gens)
      0 nil
      1 (first gens)
      (Any. gens))))

(defrecord ShortestAny [gens]
  Generator
  (update [_ test ctx event]
    (let [gens (update-each gens test ctx event)]
      (when (every? some? gens)
        (ShortestAny. gens))))
  (op [_ test ctx]
    (let [offers (mapv (fn [gen] (op gen test ctx)) gens)]
      (when (every? some? offers)
        (let [{o :op, :keys [gen' i]}
              (reduce soonest-op-map
                      (core/map-indexed (fn [i [o gen']] {:op o, :gen' gen', :i i}) offers))]
          [o (ShortestAny. (assoc gens i gen'))])))))

(defn shortest-any
  "Like `any`, but exhausted as soon as one of `gens` is."
  [& gens]
  (let [gens (into [] (core/remove nil?) gens)]
    (case (count gens)
      0 nil
      1 (first gens)
      (ShortestAny. gens))))
