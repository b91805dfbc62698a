;;;; Part of jepsen.generator: combinators that concern time.

(in-ns 'jepsen.generator)

(defrecord TimeLimit [^long limit cutoff gen]
  Generator
  (update [this test ctx event]
    (let [gen' (update gen test ctx event)]
      (cond (identical? gen gen') this
            (some? gen')          (TimeLimit. limit cutoff gen'))))
  (op [_ test ctx]
    (when-some [[o gen'] (op gen test ctx)]
      (if (identical? :pending o)
        [o (TimeLimit. limit cutoff gen')]
        (let [time   (long (:time o))
              cutoff (or cutoff (+ time limit))]
          (when (< time (long cutoff))
            [o (TimeLimit. limit cutoff gen')]))))))

(defn time-limit
  "The operations of `gen` until `dt` seconds after the first of them. An operation for that time or
  later ends it at once."
  [dt gen]
  (when (and (some? gen) (pos? dt))
    (TimeLimit. (secs->nanos dt) nil gen)))

(defrecord Stagger [^long spread next-time gen]
  Generator
  (update [this test ctx event]
    (let [gen' (update gen test ctx event)]
      (cond (identical? gen gen') this
            (some? gen')          (Stagger. spread next-time gen'))))
  (op [this test ctx]
    (when-some [[o gen'] (op gen test ctx)]
      (if (identical? :pending o)
        [o this]
        (let [due  (long (or next-time (:time ctx)))
              time (long (:time o))
              gap  (if (pos? spread) (rand/long spread) 0)]
          (if (<= due time)
            [o (Stagger. spread (+ time gap) gen')]
            [(assoc o :time due) (Stagger. spread (+ due gap) gen')]))))))

(defn stagger
  "The operations of `gen`, about `dt` seconds apart: each interval is uniform in [0, 2 dt). This is
  the rate of all threads together. Time lost when none is free is not made up for."
  [dt gen]
  (when (some? gen)
    (Stagger. (secs->nanos (* 2 dt)) nil gen)))

(defrecord Delay [^long dt next-time gen]
  Generator
  (update [_ test ctx event]
    (Delay. dt next-time (update gen test ctx event)))
  (op [this test ctx]
    (when-some [[o gen'] (op gen test ctx)]
      (if (identical? :pending o)
        [o this]
        (let [time (max (long (:time o)) (long (or next-time (:time o))))]
          [(assoc o :time time) (Delay. dt (+ time dt) gen')])))))

(defn delay
  "The operations of `gen`, at least `dt` seconds apart, of all threads together."
  [dt gen]
  (Delay. (secs->nanos dt) nil gen))

;;; Windows of time

(defn- window-at
  "The window of a rotation that `time` falls in, as [i end]: its index in `ends`, where windows end
  relative to the start of a round of `period` nanoseconds, and the time at which it ends."
  [ends period origin time]
  (let [offset (rem (- (long time) (long origin)) (long period))
        round  (- (long time) offset)
        i      (count (core/take-while (fn [end] (<= (long end) offset)) ends))]
    [i (+ round (long (nth ends i)))]))

(defrecord CycleTimes [ends period origin gens]
  Generator
  (update [_ test ctx event]
    (CycleTimes. ends period origin (update-each gens test ctx event)))
  (op [this test ctx]
    (let [origin (or origin (:time ctx))]
      (loop [time (long (:time ctx))]
        (let [[i end] (window-at ends period origin time)]
          (when-some [[o gen'] (op (nth gens i) test (assoc ctx :time time))]
            (cond (identical? :pending o)
                  [:pending this]

                  (< (long (:time o)) (long end))
                  [o (CycleTimes. ends period origin (assoc gens i gen'))]

                  :else
                  (recur (long end)))))))))

(defn cycle-times
  "Operations of one generator for a while, then of another, in rotation:

    (cycle-times 5 writes 10 reads)

  performs writes for five seconds, reads for ten, and so on from the first time it is asked. An
  operation that does not fall in its window is left for the next one. Ends when the generator of a
  window is exhausted."
  [& times-and-gens]
  (assert (even? (count times-and-gens)) "every generator needs a number of seconds")
  (when (seq times-and-gens)
    (let [pairs (partition 2 times-and-gens)
          ends  (vec (reductions + (core/map (fn [[dt _]] (secs->nanos dt)) pairs)))]
      (CycleTimes. ends (peek ends) nil (mapv second pairs)))))
